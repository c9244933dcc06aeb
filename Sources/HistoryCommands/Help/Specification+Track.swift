extension CommandSpecification {
  /// The table of `track`.
  static let track = CommandSpecification(
    name: "track", group: .capture,
    summary: "Start capturing the changes of tables, whoever writes them",
    operands: [.database, OperandSpecification("TABLE", .text, .repeated)],
    options: [
      OptionSpecification(
        "capture", .choice(["keys", "changes", "full"]), default: "changes",
        help: "Keep keys only, changed values, or whole rows"),
      OptionSpecification(
        "except", .text("TABLE"), repeatable: true, help: "Leave this table out"),
      OptionSpecification("no-times", help: "Keep no time of each change: faster in bulk"),
      OptionSpecification(
        "new-identity", help: "Make a copied database a store of its own"),
    ],
    discussion: [
      "Without a TABLE it tracks all ordinary tables. The history is kept in the same file, "
        + "written by triggers, so it commits and rolls back with the data.",
      "It is safe to repeat, also to follow a changed schema, and never changes the journal mode. "
        + "If one of the tables cannot be tracked, none is.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch track app.db tasks lists",
      explanation: "From now on every change of both tables is kept."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure),
      ExitSpecification(.usage, "wrong usage, or a table that is missing or cannot be tracked"),
      ExitSpecification(.unavailable, "no such database, not a database, or nothing to track"),
    ])
}
