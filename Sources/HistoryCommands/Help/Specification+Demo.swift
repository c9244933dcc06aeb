extension CommandSpecification {
  /// The table of `demo`.
  static let demo = CommandSpecification(
    name: "demo", group: .learn,
    summary: "Watch two writers and their live history in ten seconds",
    discussion: [
      "It makes a store in a temporary place, writes to it under two names, shows the stream of "
        + "it, and leaves nothing behind."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch demo",
      explanation: "The whole idea, without a database of your own."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.interrupted), ExitSpecification(.readerGone),
    ])
}
