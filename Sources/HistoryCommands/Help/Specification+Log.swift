extension CommandSpecification {
  /// The table of `log`.
  static let log = CommandSpecification(
    name: "log", group: .follow,
    summary: "Show transactions for a person to read, newest first",
    operands: [.database],
    options: [
      OptionSpecification("limit", .count, help: "Show this many transactions at most")
    ] + OptionSpecification.filters + [
      OptionSpecification("json", help: "One JSON object per transaction"),
      OptionSpecification("no-pager", help: "Print at once, also on a terminal"),
    ],
    discussion: [
      "On a terminal it is shown through the program named in PAGER, else less."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch log app.db --author importer --limit 5",
      explanation: "Shows the last five transactions that the importer wrote."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.unavailable), ExitSpecification(.readerGone),
    ])
}
