extension CommandSpecification {
  /// The table of `untrack`.
  static let untrack = CommandSpecification(
    name: "untrack", group: .capture,
    summary: "Stop capturing; what was captured can still be read",
    operands: [.database, OperandSpecification("TABLE", .text, .repeated)],
    options: [
      OptionSpecification(
        "drop-history", help: "Also remove the history and every object of this program")
    ],
    discussion: [
      "Without a TABLE it stops for all tables. With --drop-history the schema is as if the "
        + "database had never been tracked; tracking it again makes a new store.",
      "A store that historywatch migrate looks after keeps what it knows of its schema, with a new "
        + "identity: historywatch ready then says no until historywatch migrate has run once more.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch untrack app.db tasks",
      explanation: "Changes of tasks are no longer kept; its columns can be dropped."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure),
      ExitSpecification(.usage, "wrong usage, or a table that is not there"),
      ExitSpecification(.unavailable),
    ])
}
