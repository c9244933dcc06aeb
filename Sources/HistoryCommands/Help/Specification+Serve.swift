extension CommandSpecification {
  /// The table of `serve`.
  static let serve = CommandSpecification(
    name: "serve", group: .follow,
    summary: "Serve changes to other programs over a socket",
    operands: [OperandSpecification("DATABASE", .database, .repeated)],
    options: [
      OptionSpecification(
        "socket", .file, help: "Listen at this path, for programs of the same user"),
      OptionSpecification(
        "allow-uid", .text("UID"), repeatable: true,
        help: "Let another user's programs connect too; the socket then lets anybody knock"),
      OptionSpecification(
        "http", .text("ADDRESS"), repeatable: true,
        help: "Show a live page, events, status and metrics at this address, such as 127.0.0.1:8080"
      ),
      OptionSpecification(
        "http-token-file", .file,
        help: "Require the bearer token in this file; off loopback there has to be one"),
      OptionSpecification(
        "http-host", .text("NAME"), repeatable: true,
        help: "A name besides the address by which browsers may call the server"),
      OptionSpecification(
        "config", .file,
        help: "Declare databases, timelines and limits in this file; SIGHUP reads it again"),
      OptionSpecification(
        "keep", .duration, default: "7d", help: "How long history is kept"),
      OptionSpecification(
        "keep-size", .size, default: "256MB", help: "How large history may become"),
      OptionSpecification(
        "log-format", .choice(["text", "json"]), default: "text",
        help: "How to write what happens on standard error"),
    ],
    discussion: [
      "Programs in any language connect, send one JSON object per line and get changes, results "
        + "of queries and news of commits as JSON lines; docs/protocol.md describes it. A database "
        + "that is not there yet, or not tracked, is waited for. SIGTERM says goodbye to everybody "
        + "and ends with 0. "
        + "Sockets of the service manager are taken without --socket."
    ],
    example: ExampleSpecification(
      commandLine: "historywatch serve app.db --socket /run/user/1000/historywatch",
      explanation: "Serves app.db to every program that connects to that path."),
    exits: [
      ExitSpecification(.success, "SIGTERM or SIGINT ended it"),
      ExitSpecification(.failure, "another server listens there, or another passing reason"),
      ExitSpecification(.usage), ExitSpecification(.unavailable, "what is there is no database"),
    ])
}
