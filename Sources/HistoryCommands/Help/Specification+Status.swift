extension CommandSpecification {
  /// The table of `status`.
  static let status = CommandSpecification(
    name: "status", group: .maintain,
    summary: "Show tracked tables, positions, and size of the history",
    operands: [.database],
    options: [OptionSpecification("json", help: "Print one JSON object")],
    discussion: [
      "It only reads. A consumer's lag is counted in changes; drift is what capture does not yet "
        + "know of the schema."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch status app.db",
      explanation: "Shows the store, its tables with their capture, and its consumers."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.unavailable),
    ])
}
