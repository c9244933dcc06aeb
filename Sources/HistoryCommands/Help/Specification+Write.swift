extension CommandSpecification {
  /// The table of `write`.
  static let write = CommandSpecification(
    name: "write", group: .share,
    summary: "Run SQL as one transaction under an author's name",
    operands: [.database, OperandSpecification("SQL", .sql, .optional)],
    options: [
      OptionSpecification(
        "author", .text("NAME"), default: "HISTORYWATCH_AUTHOR", help: "Who writes"),
      OptionSpecification(
        "context", .text("TEXT", mayBeEmpty: true), help: "Why, kept with the transaction"),
      OptionSpecification("file", .file, help: "Read the SQL from this file"),
      OptionSpecification("foreign-keys", help: "Enforce foreign keys"),
    ],
    discussion: [
      "The SQL is the argument, or a file, or standard input. It prints the new token when all of "
        + "it has committed; a failure rolls all of it back. BEGIN, COMMIT, ROLLBACK, ATTACH and "
        + "VACUUM are refused inside; savepoints are fine."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch write app.db --author importer < import.sql",
      explanation: "Either all of import.sql happens, or nothing."),
    exits: [
      ExitSpecification(.success),
      ExitSpecification(.failure, "the SQL failed and was rolled back, or the database was busy"),
      ExitSpecification(.usage), ExitSpecification(.unavailable),
    ])
}
