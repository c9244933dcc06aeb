extension CommandSpecification {
  /// The table of `diagnose`.
  static let diagnose = CommandSpecification(
    name: "diagnose", group: .maintain,
    summary: "Write what is known of a store, and nothing stored",
    operands: [.database],
    options: [
      OptionSpecification("output", .file, help: "The file to write; - for standard output")
    ],
    discussion: [
      "The JSON object has versions, settings, sizes and the results of checks, also of a store "
        + "that cannot be opened. It has no value of a row, no SQL, and names of files without "
        + "their directories; names of tables and consumers are in it.",
      "It only reads. With a rollback journal writers wait meanwhile, half a minute for each of "
        + "two checks at most.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch diagnose app.db --output diagnosis.json",
      explanation: "Writes a file that can be attached to a report."),
    exits: [
      ExitSpecification(.success, "the file was written, whatever is in it"),
      ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.unavailable, "the file cannot be written"),
      ExitSpecification(.readerGone),
    ])
}
