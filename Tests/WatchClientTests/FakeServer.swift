import EventLoop
import HistoryModel
import HistoryTestSupport
import Testing

@testable import WatchClient

/// A server that does what a test tells it, on a loop of its own.
actor FakeServer {
  private let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated let path: String
  private let directory: TemporaryDirectory
  private var listener: SocketListener?
  private var listening: CheckedContinuation<Void, Never>?
  private var connection: SocketConnection?
  private var splitter = LineSplitter(limit: 1 << 16)

  init() throws {
    LoopExecutor.ignoreBrokenPipes()
    directory = try TemporaryDirectory()
    path = directory.file("socket")
    executor = try LoopExecutor.onOwnThread(name: "fake server")
  }

  // On the loop, where the sockets may be called back at any moment.
  isolated deinit {
    connection?.close()
    listener?.close()
    executor.letGo()
  }

  func listen() throws {
    listener = try SocketListener(.local(path: path), on: executor)
    listening.take()?.resume()
  }

  /// Takes the next connection, once it listens; the one before it is dropped.
  func accept() async throws {
    await withCheckedContinuation { continuation in
      // Looked at only here: on the way in it may have begun to listen.
      if listener == nil { listening = continuation } else { continuation.resume() }
    }
    connection?.close()
    splitter = LineSplitter(limit: 1 << 16)
    connection = try await listener?.accept()
  }

  /// The next request; nil when the client has closed the connection.
  func request() async throws -> JSONValue? {
    let connection = try #require(connection)
    while true {
      if case .whole(let line) = splitter.next() { return try JSONValue(parsing: line) }
      guard let bytes = try? await connection.read(), !bytes.isEmpty else { return nil }
      splitter.append(bytes)
    }
  }

  /// Sends text as it is, all of it.
  func send(_ text: String) async throws {
    let connection = try #require(connection)
    #expect(connection.offer(Array(text.utf8)) != .gone)
    try await connection.drained()
  }

  /// Sends without waiting; says how much the client has not read yet.
  func offer(_ text: String) throws -> Int {
    let connection = try #require(connection)
    _ = connection.offer(Array(text.utf8))
    return connection.queuedCount
  }

  func drop() {
    connection?.close()
    connection = nil
  }

  /// Takes a connection and answers its greeting; returns what it asks for then.
  func begin() async throws -> JSONValue {
    try await accept()
    #expect(try await request()?["operation"]?.string == "hello")
    try await send(#"{"kind":"hello","protocol":1,"format":1}"# + "\n")
    return try #require(await request())
  }
}

/// Lines of a subscription, as a server writes them.
struct Script {
  static let store = StoreIdentifier()
  private var encoder = LineEncoder()
  private let subscription: String

  init(_ subscription: String = "transactions") { self.subscription = subscription }

  static func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: sequence, check: UInt64(sequence))
  }

  /// The lines with the subscription's name in each.
  var text: String {
    let end = #","subscription":"\#(subscription)"}"#
    var text = ""
    for line in String(decoding: encoder.bytes, as: UTF8.self).split(separator: "\n") {
      text += String(line.prefix(line.count - 1)) + end + "\n"
    }
    return text
  }

  func subscribed() -> String {
    #"{"kind":"subscribed","subscription":"\#(subscription)","database":"app.db"}"# + "\n"
  }

  static func hello(at sequence: Int64) -> String {
    var script = Script()
    script.encoder.hello(
      .continue, token: token(sequence), oldest: token(0), head: token(sequence))
    return script.subscribed() + script.text
  }

  /// A transaction of one change: the row of that number was inserted.
  static func transaction(_ number: Int64) -> String {
    var script = Script()
    let record = TransactionRecord(number: number, author: "app", isTagged: true)
    let shape = TableShape(
      identifier: 1, table: "tasks", capture: .changes,
      columns: [.init(name: "id", keyPlace: 0, isReal: false, isInImages: true)])
    var buffer = CellBuffer()
    buffer.append(.integer(number))
    script.encoder.change(
      RecordedChange(shape: shape, operation: .insert, after: 0, before: nil), in: buffer,
      index: 0, of: record)
    script.encoder.commit(record, changes: 1, token: token(number))
    return script.text
  }

  static func bookmark(_ sequence: Int64) -> String {
    line { $0.bookmark(token(sequence)) }
  }

  static func bye(_ reason: ByeReason, message: String? = nil) -> String {
    line { $0.bye(reason, message: message, token: nil) }
  }

  static func expired(oldest: Int64) -> String {
    line {
      $0.expired(
        requested: "x", oldest: token(oldest), head: token(oldest), reason: .trimmed)
    }
  }

  private static func line(_ encode: (inout LineEncoder) -> Void) -> String {
    var script = Script()
    encode(&script.encoder)
    return script.text
  }
}

/// Pauses that take no time and are remembered.
final class PauseLog: Sendable {
  private let pauses = Guarded<[Duration]>([])
  private let server: FakeServer?
  private let listenAfter: Int

  /// Lets a server listen once so many pauses were made.
  init(listening server: FakeServer? = nil, after count: Int = 0) {
    self.server = server
    listenAfter = count
  }

  var all: [Duration] { pauses.withLock { $0 } }

  var pace: ConnectionPace {
    ConnectionPace(generator: FixedGenerator(word: 0)) {
      (duration, _) async throws(CancellationError) in
      let count = self.pauses.withLock { pauses in
        pauses.append(duration)
        return pauses.count
      }
      if count == self.listenAfter { try? await self.server?.listen() }
    }
  }
}
