extension CommandSpecification {
  /// The table of `stream`.
  static let stream = CommandSpecification(
    name: "stream", group: .follow,
    summary: "Print changes as JSON lines, as they commit",
    operands: [OperandSpecification("DATABASE", .database, .requiredWithout("socket"))],
    options: streamPosition + OptionSpecification.filters + [notOrigin] + streamForm,
    discussion: [
      "Each line is one object. Changes come in the order they were made, a transaction is never "
        + "split, and its commit line carries the token to go on from. Drop changes whose commit "
        + "line did not come.",
      "With --socket the database is named as the server was told of it. When the server goes away, "
        + "the stream waits for it and goes on where it was.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch stream app.db --since oldest --table tasks --no-follow",
      explanation: "Prints every kept change of tasks, then ends."),
    exits: [
      ExitSpecification(.success, "reached the end that was asked for"),
      ExitSpecification(.failure), ExitSpecification(.usage), ExitSpecification(.expired),
      ExitSpecification(.unusablePosition),
      ExitSpecification(
        .unavailable, "no such database, not a database, not tracked, or no such consumer"),
      ExitSpecification(.slow), ExitSpecification(.timeout), ExitSpecification(.interrupted),
      ExitSpecification(.readerGone), ExitSpecification(.terminated),
    ])

  private static let notOrigin = OptionSpecification(
    "not-origin", .text("UUID"), repeatable: true, excludes: ["socket"],
    help: "No transactions that apply brought here from this store")

  private static let streamPosition = [
    OptionSpecification(
      "since", .token(or: ["oldest", "now"]), default: "now", help: "Start after this position"),
    OptionSpecification("no-follow", help: "End at the head instead of waiting for more"),
    OptionSpecification("until", .token(), help: "End after this position"),
    OptionSpecification("limit", .count, help: "End after this many transactions"),
    OptionSpecification(
      "timeout", .duration, help: "End after this long, such as 10s, without showing anything"),
    OptionSpecification(
      "cursor-file", .file, excludes: ["consumer"],
      help: "Go on from the token in this file, and keep it current; wins over --since"),
    OptionSpecification(
      "consumer", .text("NAME"),
      help: "Go on from this named position, and acknowledge to it; wins over --since"),
    OptionSpecification(
      "on-expired", .choice(["fail", "snapshot", "oldest"]), default: "fail",
      help: "What to do when the position cannot be used"),
  ]

  private static let streamForm = [
    OptionSpecification(
      "snapshot", .choice(["never", "initial", "only"]), default: "never",
      help: "Send the current rows first, at an exact boundary"),
    OptionSpecification(
      "group", .choice(["row", "transaction"]), default: "row",
      help: "One line per change, or one per transaction"),
    OptionSpecification(
      "bookmark-interval", .duration, default: "off",
      help: "Bookmarks while idle, this far apart, such as 15s"),
    OptionSpecification(
      "socket", .file,
      help: "Read through the server that listens here; the database may be left out"),
  ]
}
