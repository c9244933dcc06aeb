extension CommandSpecification {
  /// The table of `trim`.
  static let trim = CommandSpecification(
    name: "trim", group: .maintain,
    summary: "Drop the oldest part of the history",
    operands: [.database],
    options: [
      OptionSpecification("older-than", .duration, help: "Drop what is older than this"),
      OptionSpecification(
        "keep-last", .count, help: "Keep this many transactions and drop what is older"),
      OptionSpecification("through", .token(), help: "Drop everything up to this position"),
      OptionSpecification("max-size", .size, help: "Drop until the history is no larger"),
      OptionSpecification("force", help: "Also drop what consumers have not acknowledged"),
    ],
    requiresOneOf: ["older-than", "keep-last", "through", "max-size"],
    need: "to know how much",
    discussion: [
      "Tokens before the cut expire. It works in short transactions, gives way to writers, and "
        + "prints what was dropped. Durations read 250ms, 10s, 5m, 2h, 7d; sizes 64KB, 64MB, 1GB."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch trim app.db --older-than 7d",
      explanation: "Keeps a week of history, and whatever consumers still need."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.expired, "the --through position was trimmed already, or restored"),
      ExitSpecification(.unusablePosition), ExitSpecification(.unavailable),
    ])
}
