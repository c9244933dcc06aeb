import EventLoop
import HistoryModel
import HistoryStore
import WatchServer

/// What `serve` was asked for.
struct ServeOptions: Sendable {
  let settings: ServerSettings
  let logFormat: LogFormat
  private let configurationFile: String?
  private let databases: [String]

  init(_ arguments: ParsedArguments) throws(HistoryError) {
    configurationFile = arguments.value("config")
    databases = arguments.operands("DATABASE")
    let configuration = try Self.configuration(configurationFile, databases)
    guard !configuration.databases.isEmpty else {
      throw HistoryError(
        .usage, "serve needs a database", hint: "name one or more: historywatch serve app.db …")
    }
    var sockets = InheritedSocket.all().map { ServerSettings.Socket.inherited($0) }
    if let path = arguments.value("socket") { sockets.append(.path(path)) }
    guard !sockets.isEmpty else {
      throw HistoryError(
        .usage, "serve has nothing to listen at", hint: "add --socket PATH")
    }
    var limits = RetentionLimits.standard
    if let age = try arguments.duration("keep") { limits.age = age }
    if let size = try arguments.size("keep-size") { limits.bytes = Int64(size) }
    settings = ServerSettings(
      configuration, limits: limits, sockets: sockets, allowedUsers: try Self.users(arguments),
      version: Version.program)
    logFormat = try arguments.choice("log-format", default: .text)
  }

  /// What is declared, read anew.
  func configuration() throws(HistoryError) -> ServerConfiguration {
    try Self.configuration(configurationFile, databases)
  }

  private static func configuration(
    _ file: String?, _ databases: [String]
  ) throws(HistoryError) -> ServerConfiguration {
    guard let file else { return ServerConfiguration(given: databases) }
    return try ServerConfiguration(contentsOf: file, given: databases)
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
