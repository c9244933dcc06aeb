extension CommandSpecification {
  /// The table of `apply`.
  static let apply = CommandSpecification(
    name: "apply", group: .follow,
    summary: "Make a store follow another one",
    operands: [.database],
    options: [
      OptionSpecification(
        "from", .source, default: "-",
        help: "The database to follow, - for lines of a stream, or what relay --to has"),
      OptionSpecification("no-follow", help: "End at the head of --from instead of following it"),
      OptionSpecification(
        "on-conflict", .choice(["source", "target", "newest", "stop"]), default: "stop",
        help: "Who wins where a row was changed on both sides"),
      OptionSpecification(
        "create", help: "Make the store and the tables of the source, where they are missing"),
      OptionSpecification(
        "resync", help: "Begin with a snapshot, and fix the rows that differ from it"),
      OptionSpecification(
        "position", excludes: ["acknowledge-conflicts", "create"],
        help: "Print the position to start a stream of --store from"),
      OptionSpecification(
        "store", .text("UUID"),
        help: "The store that --position is asked of, or that is followed from a relay"),
      .subjectPrefix,
      .credentials,
      OptionSpecification(
        "acknowledge-conflicts", help: "Print the conflicts that are kept, and forget them"),
    ],
    discussion: [
      "It reads another store, or the lines of a stream from standard input. Each transaction is applied whole, under "
        + "its author, together with the position it came from: what is here already is passed "
        + "over, a stream in which a part is missing is refused, and a crash loses nothing.",
      "The application's triggers and foreign key actions do not act again; references are checked. "
        + "Stores may follow each other. A conflict is printed as a line, and kept until it is "
        + "acknowledged.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch apply b.db --from a.db",
      explanation: "b.db gets what a.db has, and every change from now on."),
    exits: [
      ExitSpecification(.success),
      ExitSpecification(.failure, "a conflict that nobody decided, or a passing reason"),
      ExitSpecification(.usage, "wrong usage, or input that is no stream"),
      ExitSpecification(.expired, "the stream tells of a gap, or its store was restored"),
      ExitSpecification(.unusablePosition, "a part is missing, or it is the store's own stream"),
      ExitSpecification(.unavailable), ExitSpecification(.interrupted),
      ExitSpecification(.terminated),
    ])
}
