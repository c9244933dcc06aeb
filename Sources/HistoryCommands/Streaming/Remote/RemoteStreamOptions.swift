import HistoryModel
import HistoryObservation
import WatchClient

/// What `stream --socket` was asked for.
struct RemoteStreamOptions: Sendable {
  /// The server's socket.
  var socket: String
  /// The database's name at the server; nil for its only one.
  var database: String?
  /// What is wanted of its history.
  var request: StreamRequest
  var cursorFile: String?
  var consumer: String?

  init(socket: String, _ arguments: ParsedArguments) throws(HistoryError) {
    self.socket = socket
    database = arguments.operand("DATABASE")
    request = try StreamOptions.request(arguments)
    cursorFile = arguments.value("cursor-file")
    consumer = arguments.value("consumer")
  }

  /// What to ask the server for.
  ///
  /// - Parameters:
  ///   - position: Where to begin; nil for where the consumer stands, or `--since` says.
  ///   - isResuming: Whether the output has got its beginning already.
  ///   - shown: How many transactions were shown already.
  ///   - timeout: How long nothing may be shown from now on.
  /// - Returns: The request.
  func subscription(
    after position: HistoryToken?, isResuming: Bool, shown: Int, timeout: Duration?
  ) -> ClientRequest {
    let since = position.map { HistoryPosition.after($0) } ?? request.since
    let isKept = consumer != nil && position == nil
    var message = ClientRequest(
      "subscribe",
      [
        "subscription": .string(StreamPassage.subscription),
        "database": database.map { .string($0) },
        "consumer": isKept ? consumer.map { .string($0) } : nil,
        "since": isKept ? nil : .string(ClientRequest.text(since)),
        "until": request.until.map { .string($0.description) },
        "limit": request.limit.map { .integer(Int64(max(0, $0 - shown))) },
        "timeout": timeout.map { .string(ClientRequest.text($0)) },
        "bookmark-interval": .string(ClientRequest.text(request.bookmarkInterval ?? .zero)),
        "snapshot": isResuming ? nil : .string(request.snapshot.rawValue),
        "on-expired": .string(request.onExpired.rawValue),
        "group": .string(request.group.rawValue), "no-follow": .boolean(!request.isFollowing),
      ])
    message.add(request.filter)
    return message
  }

  /// The consumer has got up to a position.
  func acknowledgement(of token: HistoryToken, by consumer: String) -> ClientRequest {
    ClientRequest(
      "acknowledge",
      [
        "database": database.map { .string($0) }, "consumer": .string(consumer),
        "token": .string(token.description), "request": .string(StreamPassage.mark),
      ])
  }
}
