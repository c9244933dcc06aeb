import EventLoop
import HistoryModel

/// Asks a server what can be answered at once, each time on a connection of its own.
///
/// It lives on its loop.
actor ClientSession {
  nonisolated let loop: ClientLoop
  nonisolated let path: String
  private nonisolated var executor: LoopExecutor { loop.executor }
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init(at path: String, on loop: ClientLoop) {
    self.path = path
    self.loop = loop
  }

  /// Sends a request and waits for its answer.
  ///
  /// - Throws: The error that is the answer, or `temporary` when there is no server or it goes.
  func ask(_ request: ClientRequest) async throws(HistoryError) -> JSONValue {
    let connection: ServerConnection
    do throws(LoopError) {
      connection = try await ServerConnection.open(path, on: executor)
    } catch {
      throw error.isCancellation ? .givenUp : .unreachable(path, error)
    }
    defer { connection.close() }
    guard connection.send([.hello, request]) else { throw .serverGone(path) }
    while true {
      while let line = connection.line() {
        if let answer = try answer(in: line) { return answer }
      }
      var isThere = false
      do throws(LoopError) {
        isThere = try await connection.fill()
      } catch {
        throw .givenUp
      }
      guard isThere else { throw .serverGone(path) }
    }
  }

  private func answer(in line: ArraySlice<UInt8>) throws(HistoryError) -> JSONValue? {
    let read: ServerLine
    do throws(LineError) {
      read = try ServerLine(line)
    } catch {
      throw .notAServer(path, error)
    }
    switch read {
    case .greeting(let version):
      if version != 1 { throw .unknownProtocol(path, version) }
      return nil
    case .answer(let answer): return answer
    case .failure(let error, _): throw error
    case .farewell: throw .serverGone(path)
    case .subscribed, .event: return nil
    }
  }
}
