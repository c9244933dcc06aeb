import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import Testing

@testable import WatchServer

/// A server in this process, with a tracked store, and clients of it.
struct ServingStage {
  let file: TemporaryStore
  let executor: LoopExecutor
  let server: WatchServer
  let socket: String

  init(
    _ sql: String = "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT);"
      + "CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT)",
    journal: TemporaryStore.Journal = .wal, isTracked: Bool = true, others: [String] = [],
    allowedUsers: Set<UInt32> = [], sockets: [ServerSettings.Socket] = [],
    log: ServerLog = ServerLog { _, _ in }
  ) async throws {
    file = try TemporaryStore(sql: sql, journal: journal)
    if isTracked { try file.track() }
    executor = try LoopExecutor.onOwnThread(name: "serve")
    socket = file.path + "-socket"
    server = try await Self.server(
      ServerSettings(
        ServerConfiguration(given: [file.path] + others), sockets: [.path(socket)] + sockets,
        allowedUsers: allowedUsers, version: "test"),
      log, executor)
  }

  private static func server(
    _ settings: ServerSettings, _ log: ServerLog, _ executor: LoopExecutor
  ) async throws -> WatchServer {
    let server = try await unstarted(settings, executor, log: log)
    try await server.start()
    return server
  }

  /// A server that neither listens nor has any stores yet.
  static func unstarted(
    _ settings: ServerSettings, _ executor: LoopExecutor, log: ServerLog = ServerLog { _, _ in }
  ) async throws -> WatchServer {
    try await Maker(executor: executor).make(settings, log)
  }

  /// Makes what has to be made on the loop.
  private actor Maker {
    nonisolated let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()
    }

    init(executor: LoopExecutor) { self.executor = executor }

    func make(_ settings: ServerSettings, _ log: ServerLog) throws -> WatchServer {
      try WatchServer(settings, log: log, on: executor)
    }
  }

  /// A client that has connected.
  func client() async throws -> LineClient { try await LineClient(to: socket) }

  /// Commits as an author.
  ///
  /// - Returns: The position after it.
  @discardableResult
  func write(_ sql: String, author: String = "app") async throws -> HistoryToken {
    try await StoreWriter(path: file.path).write(author: author) { try $0.execute(sql) }
  }

  /// Ends the server and its loop.
  func stop() async {
    await server.stop()
    executor.letGo()
  }
}
