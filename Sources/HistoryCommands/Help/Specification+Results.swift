extension CommandSpecification {
  /// The table of `results`.
  static let results = CommandSpecification(
    name: "results", group: .follow,
    summary: "Print the rows of a query, then what changes in them",
    operands: [.database],
    options: [
      OptionSpecification("query", .text("SQL"), help: "One statement that only reads"),
      OptionSpecification(
        "bind", .text("NAME=VALUE"), repeatable: true,
        help: "The value of a parameter: a number, NULL, x'00ff', 'text', or text as it stands"),
      OptionSpecification(
        "key", .text("COLUMN"), repeatable: true,
        help: "Tell rows apart by this column; without it a row is its own key"),
      OptionSpecification(
        "section", .text("COLUMN"), help: "Say which runs of rows have the same value there"),
      OptionSpecification("no-follow", help: "End after the rows instead of waiting for changes"),
    ],
    discussion: [
      "Each difference applies to the rows before it: take out what is removed and moved, the "
        + "highest place first; put in what is inserted and moved, the lowest first; then replace "
        + "what is updated. The query runs again only after a commit that touched what it reads."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch results app.db --query 'SELECT * FROM tasks' --key id",
      explanation: "Shows the tasks, and then what changes in them."),
    exits: [
      ExitSpecification(.success, "printed the rows (--no-follow)"),
      ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.expired, "another store was moved over the file"),
      ExitSpecification(
        .unavailable, "no such database, or the query reads a table that is not tracked"),
      ExitSpecification(.interrupted), ExitSpecification(.readerGone),
      ExitSpecification(.terminated),
    ])
}
