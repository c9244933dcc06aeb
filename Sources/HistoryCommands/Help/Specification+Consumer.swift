extension CommandSpecification {
  /// The table of `consumer`.
  static let consumer = CommandSpecification(
    name: "consumer", group: .follow,
    summary: "Keep named positions in the store",
    actions: [
      ActionSpecification(
        name: "list", summary: "Print the consumers with their positions and lag",
        operands: [.database]),
      ActionSpecification(
        name: "create", summary: "Make a consumer, at the head unless told otherwise",
        operands: [.database, consumerName],
        options: [
          OptionSpecification(
            "at", .token(or: ["oldest"]), default: "the head",
            help: "Where a new consumer begins")
        ]),
      ActionSpecification(
        name: "acknowledge", summary: "Move a consumer to the position that it has dealt with",
        operands: [.database, consumerName, OperandSpecification("TOKEN")]),
      ActionSpecification(
        name: "remove", summary: "Forget a consumer", operands: [.database, consumerName]),
    ],
    discussion: [
      "A consumer's position is durable, and trimming respects it up to a limit. "
        + "historywatch stream --consumer NAME reads on from it."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch consumer create app.db mirror --at oldest",
      explanation: "From now on trimming keeps what mirror has not acknowledged."),
    exits: [
      ExitSpecification(.success), ExitSpecification(.failure), ExitSpecification(.usage),
      ExitSpecification(.expired), ExitSpecification(.unusablePosition),
      ExitSpecification(
        .unavailable, "no such database, not a database, not tracked, or no such consumer"),
    ])

  private static let consumerName = OperandSpecification("NAME")
}
