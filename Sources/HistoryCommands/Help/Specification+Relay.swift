extension CommandSpecification {
  /// The table of `relay`.
  static let relay = CommandSpecification(
    name: "relay", group: .follow,
    summary: "Forward the history to NATS JetStream",
    operands: [.database],
    options: [
      OptionSpecification(
        "to", .text("URL"), help: "Where to: nats://HOST[:PORT][,HOST...]/STREAM, or tls://"),
      .subjectPrefix,
      .credentials,
      OptionSpecification("no-follow", help: "End when everything is confirmed"),
      OptionSpecification(
        "resync", help: "Begin anew with a snapshot, where the last message leads nowhere"),
      OptionSpecification(
        "grace", .duration, default: "10m",
        help: "How long to keep history after it was confirmed"),
      OptionSpecification(
        "create-stream", help: "Create the stream if there is none, with --replicas"),
      OptionSpecification(
        "replicas", .count, default: "1", help: "On how many servers of a cluster"),
    ],
    discussion: [
      "Each transaction is appended to the subject PREFIX.STORE exactly once and in order, whatever "
        + "crashes: the stream's last message says where to go on, and a message is stored only "
        + "directly after it. Any number of stores may share a stream.",
      "A consumer named relay:HOST/STREAM keeps history from being trimmed until it is confirmed. "
        + "historywatch apply --from brings a store up from the stream.",
    ],
    example: ExampleSpecification(
      commandLine: "historywatch relay app.db --to nats://127.0.0.1/history --create-stream",
      explanation: "Every change of app.db is in the stream history, as the lines of stream."),
    exits: [
      ExitSpecification(.success),
      ExitSpecification(.failure, "no server, or another passing reason, with --no-follow"),
      ExitSpecification(.usage),
      ExitSpecification(.expired, "the store cannot go on after the last message: --resync"),
      ExitSpecification(.unavailable, "no such database, not tracked, or no such stream"),
      ExitSpecification(.interrupted), ExitSpecification(.terminated),
    ])
}

extension OptionSpecification {
  /// What the subjects of a relay begin with.
  static let subjectPrefix = OptionSpecification(
    "subject-prefix", .text("PREFIX"), default: "hw",
    help: "What the subjects in a NATS stream begin with")

  /// Who one is to a NATS server.
  static let credentials = OptionSpecification(
    "credentials", .file, help: "A user's credentials for NATS, as nsc makes them")
}
