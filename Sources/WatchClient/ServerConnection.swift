package import EventLoop
import HistoryModel

/// One connection to a server: requests out, lines in.
///
/// It reads only when it is told to, and no more than a piece ahead, so a reader who takes his time
/// slows the server down and not this process. Confined to the loop.
package final class ServerConnection {
  private let connection: SocketConnection
  // A row with a thousand million bytes in it is one line.
  private var splitter = LineSplitter(limit: 1 << 31)

  private init(_ connection: SocketConnection) { self.connection = connection }

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - path: Where it listens.
  ///   - executor: The loop that the connection lives on.
  /// - Returns: The connection.
  /// - Throws: `LoopError`, as `SocketConnection` does.
  package nonisolated(nonsending) static func open(
    _ path: String, on executor: LoopExecutor
  ) async throws(LoopError) -> ServerConnection {
    ServerConnection(try await SocketConnection.connect(to: .local(path: path), on: executor))
  }

  /// Sends requests.
  ///
  /// - Returns: Whether they will go out; not if the server is gone or reads nothing.
  package func send(_ requests: [ClientRequest]) -> Bool {
    var bytes: [UInt8] = []
    for request in requests { request.append(to: &bytes) }
    return connection.offer(bytes) == .taken
  }

  /// Takes out the next line of what was read, without its end.
  ///
  /// - Returns: The line; nil when more has to be read first.
  package func line() -> ArraySlice<UInt8>? {
    switch splitter.next() {
    case .whole(let line): line
    // It is no JSON, which is what whoever reads it will say.
    case .tooLong: []
    case nil: nil
    }
  }

  /// Waits for more bytes.
  ///
  /// - Returns: Whether there are any; not when the connection is lost.
  /// - Throws: `LoopError` when the task was cancelled or the connection closed.
  package nonisolated(nonsending) func fill() async throws(LoopError) -> Bool {
    do throws(LoopError) {
      let bytes = try await connection.read()
      guard !bytes.isEmpty else { return false }
      splitter.append(bytes)
      return true
    } catch {
      if error.isCancellation { throw error }
      return false
    }
  }

  /// Closes the connection; a read that waits throws.
  package func close() { connection.close() }
}
