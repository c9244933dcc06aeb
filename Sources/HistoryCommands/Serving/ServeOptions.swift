import EventLoop
import HTTPServer
import HistoryModel
import HistoryStore
import WatchServer

/// What `serve` was asked for.
struct ServeOptions: Sendable {
  private typealias Socket = ServerSettings.Socket
  private typealias Place = ServerSettings.Web.Place

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
    let inherited = InheritedSocket.all()
    var sockets = inherited.filter { $0.name != "http" }.map { Socket.inherited($0) }
    if let path = arguments.value("socket") { sockets.append(.path(path)) }
    let web = try Self.web(arguments, inherited)
    guard !sockets.isEmpty || !web.isEmpty else {
      throw HistoryError(
        .usage, "serve has nothing to listen at", hint: "add --socket PATH or --http ADDRESS")
    }
    var limits = RetentionLimits.standard
    if let age = try arguments.duration("keep") {
      limits.age = try Self.within(ServerConfiguration.ages, age, "--keep", MeasuredText.text)
    }
    if let size = try arguments.size("keep-size") {
      limits.bytes = Int64(
        try Self.within(
          ServerConfiguration.sizes, size, "--keep-size", MeasuredText.text(bytes:)))
    }
    settings = ServerSettings(
      configuration, limits: limits, sockets: sockets, web: web,
      allowedUsers: try Self.users(arguments),
      version: Version.program)
    logFormat = try arguments.choice("log-format", default: .text)
  }

  private static func within<Value>(
    _ range: ClosedRange<Value>, _ value: Value, _ option: String, _ text: (Value) -> String
  ) throws(HistoryError) -> Value {
    guard range.contains(value) else {
      throw HistoryError(
        .usage,
        "\(option) must be from \(text(range.lowerBound)) to \(text(range.upperBound))",
        hint: "to drop what there is at once: historywatch trim")
    }
    return value
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

  private static func web(
    _ arguments: ParsedArguments, _ inherited: [InheritedSocket]
  ) throws(HistoryError) -> [ServerSettings.Web] {
    var places = inherited.filter { $0.name == "http" }.map { Place.inherited($0) }
    for text in arguments.values("http") {
      guard let address = SocketAddress(internet: text) else {
        throw HistoryError(
          .usage, "--http takes an address and a port",
          hint: "such as 127.0.0.1:8080, [::1]:8080 or 8080")
      }
      places.append(.address(address))
    }
    let token = try arguments.value("http-token-file").map(Self.token)
    return places.map {
      ServerSettings.Web($0, token: token, hosts: arguments.values("http-host"))
    }
  }

  private static func token(_ path: String) throws(HistoryError) -> BearerToken {
    let bytes: [UInt8]?
    do throws(DurableFile.Failure) {
      bytes = try DurableFile(path: path).read(limit: 4096)
    } catch {
      throw HistoryError(
        .usage, "the token file \(path) cannot be read: \(error)",
        hint: "let the user that serve runs as read it")
    }
    guard let bytes else {
      throw HistoryError(
        .usage, "there is no token file \(path)",
        hint: "make one with: head -c 24 /dev/urandom | base64 > \(path)")
    }
    return try BearerToken(String(decoding: bytes, as: UTF8.self))
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
