package import EventLoop
public import HistoryModel

/// A client of a server on a socket: lines out, lines in.
///
/// It lives on a loop of its own, which ends with it.
public actor LineClient {
  private nonisolated let executor: LoopExecutor
  /// The loop that it lives on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private var connection: SocketConnection?
  private var splitter = LineSplitter(limit: 1 << 26)

  /// Connects to a socket at a path.
  public init(to path: String) async throws { try await self.init(at: .local(path: path)) }

  /// Connects.
  package init(at address: SocketAddress) async throws {
    executor = try LoopExecutor.onOwnThread(name: "client")
    try await connect(address)
  }

  deinit { executor.letGo() }

  private func connect(_ address: SocketAddress) async throws {
    connection = try await SocketConnection.connect(to: address, on: executor)
  }

  /// Sends a line.
  public func send(_ line: String) { _ = connection?.offer(Array((line + "\n").utf8)) }

  /// Sends bytes as they are.
  public func send(bytes: [UInt8]) { _ = connection?.offer(bytes) }

  /// The bytes of the next line without its end; nil at the end of the connection.
  public func nextLine() async throws -> [UInt8]? {
    while true {
      if case .whole(let line)? = splitter.next() { return Array(line) }
      guard let bytes = try await connection?.read(), !bytes.isEmpty else { return nil }
      splitter.append(bytes)
    }
  }

  /// The next line; nil at the end of the connection.
  public func next() async throws -> JSONValue? {
    guard let line = try await nextLine() else { return nil }
    return try JSONValue(parsing: line)
  }

  /// The next line of a kind; those before it are passed over.
  ///
  /// - Throws: ``Ended`` if the connection ends before.
  public func next(_ kind: String, of subscription: String? = nil) async throws -> JSONValue {
    var last: JSONValue?
    while let line = try await next() {
      if line["kind"]?.string == kind,
        subscription == nil || line["subscription"]?.string == subscription
      {
        return line
      }
      last = line
    }
    throw Ended(expected: kind, last: last)
  }

  /// Asks, and returns the next line of a kind.
  public func ask(_ line: String, _ kind: String) async throws -> JSONValue {
    send(line)
    return try await next(kind)
  }

  /// Sends no more; what comes is still read.
  public func finish() { connection?.finish() }

  /// Goes away.
  public func close() { connection?.close() }

  /// The connection ended before a line came that was waited for.
  public struct Ended: Error {
    /// The kind that was waited for.
    public let expected: String
    /// The last line that came.
    public let last: JSONValue?
  }
}
