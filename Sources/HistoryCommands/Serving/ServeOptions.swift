import EventLoop
import HistoryModel
import WatchServer

/// What `serve` was asked for.
struct ServeOptions: Sendable {
  let settings: ServerSettings
  let logFormat: LogFormat

  init(_ arguments: ParsedArguments) throws(HistoryError) {
    let databases = arguments.operands("DATABASE")
    guard !databases.isEmpty else {
      throw HistoryError(
        .usage, "serve needs a database", hint: "name one or more: historywatch serve app.db …")
    }
    var sockets = InheritedSocket.all().map { ServerSettings.Socket.inherited($0) }
    if let path = arguments.value("socket") { sockets.append(.path(path)) }
    guard !sockets.isEmpty else {
      throw HistoryError(
        .usage, "serve has nothing to listen at", hint: "add --socket PATH")
    }
    settings = ServerSettings(
      databases: databases, sockets: sockets, allowedUsers: try Self.users(arguments),
      version: Version.program)
    logFormat = try arguments.choice("log-format", default: .text)
  }

  private static func users(_ arguments: ParsedArguments) throws(HistoryError) -> Set<UInt32> {
    var users: Set<UInt32> = []
    for text in arguments.values("allow-uid") {
      guard let user = UInt32(text) else {
        throw HistoryError(
          .usage, "--allow-uid takes the number of a user", hint: "id -u NAME prints it")
      }
      users.insert(user)
    }
    return users
  }
}
