extension CommandSpecification {
  /// The table of `run`.
  static let run = CommandSpecification(
    name: "run", group: .follow,
    summary: "Run a command when matching changes have committed",
    operands: [.database, .command],
    options: OptionSpecification.filters + runTiming + runState,
    discussion: [
      "It runs once a burst of matching commits has been quiet for a while, and one at a time. "
        + "What it has to catch up with is in its environment, as HISTORYWATCH_SINCE, _UNTIL, "
        + "_TRANSACTIONS, _CHANGES, _TABLES, _AUTHORS and _REASON. Exit code 0 settles that; "
        + "anything else is tried again after 1 s, and later after up to 60 s. What is still to "
        + "be done outlives stops and crashes."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch run app.db --table tasks --debounce 1s -- make report",
      explanation: "Runs make report once tasks has been changed and a second has been quiet."),
    exits: [
      ExitSpecification(.success, "never: it runs until it is ended"),
      ExitSpecification(.failure, "the state file is in use, or another passing reason: try again"),
      ExitSpecification(.usage, "wrong usage, no such program, or it may not be run"),
      ExitSpecification(.expired, "the --since position has expired"),
      ExitSpecification(
        .unusablePosition, "the state file is damaged or of another store, or --since is"),
      ExitSpecification(.unavailable), ExitSpecification(.interrupted),
      ExitSpecification(.terminated),
    ])

  private static let runTiming = [
    OptionSpecification(
      "debounce", .duration, default: "250ms", help: "Run when nothing matched for this long"),
    OptionSpecification(
      "max-wait", .duration, default: "2s",
      help: "Run this long after the first commit of a burst, even if it goes on"),
    OptionSpecification(
      "on-busy", .choice(["queue", "restart"]), default: "queue",
      help: "When the next run is due during one: wait for its end, or end it"),
    OptionSpecification(
      "min-interval", .duration, default: "none", help: "Begin two runs at least this far apart"),
    OptionSpecification(
      "budget", .budget, default: "none",
      help: "Run at most so often in 24 hours; what is beyond waits and is merged"),
  ]

  private static let runState = [
    OptionSpecification(
      "since", .token(or: ["oldest", "now"]), default: "now",
      help: "Where to begin when there is no state yet"),
    OptionSpecification(
      "state", .file, default: "beside the database",
      help: "Keep in this file what is still to be done"),
    OptionSpecification(
      "kind", .text("NAME"),
      help: "A name for what is run: the command gets it, and it has a state file of its own"),
    OptionSpecification(
      "ignore-own", .text("NAME"),
      help: "Let the command write under this author, and do not run for what that writes"),
  ]
}
