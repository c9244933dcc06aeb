extension CommandSpecification {
  /// The table of `check`.
  static let check = CommandSpecification(
    name: "check", group: .maintain,
    summary: "Verify that every change is captured, and repair it",
    operands: [.database],
    options: [
      OptionSpecification(
        "repair", help: "Fix what can be fixed without loss, and say what was done")
    ],
    discussion: [
      "It looks at triggers, the journal mode, tags left open, the file system, and the faults "
        + "known of this version of SQLite. It writes nothing unless asked to repair."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch check app.db --repair",
      explanation: "Renews capture after the schema changed."),
    exits: [
      ExitSpecification(.success, "all is well"),
      ExitSpecification(.failure, "something needs attention, or it failed for a passing reason"),
      ExitSpecification(.usage), ExitSpecification(.unavailable),
    ])
}
