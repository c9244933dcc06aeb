extension CommandSpecification {
  /// The table of `migrate`.
  static let migrate = CommandSpecification(
    name: "migrate", group: .share,
    summary: "Bring a store's schema to the end of a plan",
    operands: [.database],
    options: [
      OptionSpecification(
        "plan", .directory, help: "Where the files 0001_name.sql, 0002_name.sql, … are"),
      OptionSpecification("create", help: "Make an empty store first, where there is none"),
      OptionSpecification(
        "writer", .text("NAME"), default: "historywatch",
        help: "Who is named as the owner in the marker and the lock"),
      OptionSpecification(
        "keep-copies", .count, default: "3", help: "How many copies of earlier versions to keep"),
      OptionSpecification(
        "side-by-side",
        help: "Migrate a new file that then takes the store's place; nobody may have it open"),
    ],
    requiresOneOf: ["plan"],
    need: "a plan",
    discussion: [
      "The store is copied first; the copy is kept and named. The readiness marker is taken away, "
        + "each file that is missing is applied in one transaction, capture follows the tables, "
        + "the result is verified, and the marker is written last. Whatever fails, the store has "
        + "a whole version of the plan and is not ready.",
      "Only one process at a time may own a store. A file that was applied must not be changed "
        + "any more, and a store never goes back to an older version.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch migrate app.db --plan migrations",
      explanation: "Applies what app.db does not have yet; then `ready` says yes to its schema."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure, "a file failed, or it was locked"),
      ExitSpecification(.usage, "wrong usage, or a plan that cannot be used"),
      ExitSpecification(
        .unavailable, "no such database, damaged, newer than the plan, or another plan's"),
      ExitSpecification(.interrupted), ExitSpecification(.terminated),
    ])

  /// The table of `ready`.
  static let ready = CommandSpecification(
    name: "ready", group: .share,
    summary: "Say whether a program made for a schema may open it",
    operands: [.database],
    options: [
      OptionSpecification("schema", .count, help: "The version that the program was made for")
    ],
    requiresOneOf: ["schema"],
    need: "to know which schema",
    discussion: [
      "The marker beside the store must say exactly this version for exactly this store, and the "
        + "store must agree: its user_version, its identity and its tables. Newer, older, "
        + "missing, half migrated: all are no."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch ready app.db --schema 2",
      explanation: "Succeeds only once the app has finished updating app.db to version 2."),
    exits: [
      ExitSpecification(.success, "it may be opened"), ExitSpecification(.usage),
      ExitSpecification(.unavailable, "it may not, and why not is on standard error"),
    ])
}
