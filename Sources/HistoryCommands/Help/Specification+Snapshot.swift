extension CommandSpecification {
  /// The table of `snapshot`.
  static let snapshot = CommandSpecification(
    name: "snapshot", group: .share,
    summary: "Write the rows of a query to a file, whole or not at all",
    operands: [.database, OperandSpecification("COMMAND", .command, .optional)],
    options: [
      OptionSpecification("query", .text("SQL"), help: "One statement that only reads"),
      OptionSpecification(
        "bind", .text("NAME=VALUE"), repeatable: true,
        help: "The value of a parameter: a number, NULL, x'00ff', 'text', or text as it stands"),
      OptionSpecification("output", .file, help: "Where the facts are to be"),
      OptionSpecification(
        "follow", help: "Keep the file current, and run COMMAND each time it is on the disk"),
      OptionSpecification(
        "debounce", .duration, default: "250ms",
        help: "With --follow: write when nothing changed for this long"),
      OptionSpecification(
        "max-wait", .duration, default: "2s",
        help: "With --follow: write this long after the first change, even if they go on"),
    ],
    discussion: [
      "The file is one JSON object with format, schema, token, generatedAt and rows, written whole "
        + "or not at all. Rows, token and schema are of one moment. The token is null for a "
        + "database without history, which --follow refuses; the schema is null unless the owner "
        + "says that the store is ready.",
      "Rows that did not change are not written again. COMMAND runs one at a time, and once more "
        + "for all that was written meanwhile; when it fails it is tried again after 1 s, and "
        + "later after up to 60 s. It finds the file's path in HISTORYWATCH_SNAPSHOT, and the "
        + "token in HISTORYWATCH_UNTIL.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch snapshot app.db --query 'SELECT * FROM tasks' --output tasks.json",
      explanation: "Writes the tasks to tasks.json, for a widget or another program."),
    exits: [
      ExitSpecification(.success, "wrote the file (without --follow)"),
      ExitSpecification(
        .failure, "the file cannot be written, the query failed, or the database was busy"),
      ExitSpecification(.usage, "wrong usage, or the query is not one statement that reads"),
      ExitSpecification(.expired, "another store was moved over the file (--follow)"),
      ExitSpecification(
        .unavailable,
        "no such database; with --follow also where the query reads what is not tracked"),
      ExitSpecification(.interrupted), ExitSpecification(.terminated),
    ])
}
