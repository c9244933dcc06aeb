import EventLoop
import HistoryModel

/// Reads one subscription as long as somebody asks for what comes next.
///
/// It has a connection of its own and no task: it connects, waits and reads only while it is asked.
/// So whoever takes his time is known to the kernel and the server, and to nobody else here. It
/// lives on its loop.
actor SubscriptionReader<Content: SubscriptionContent> {
  private nonisolated let loop: ClientLoop
  private nonisolated var executor: LoopExecutor { loop.executor }
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let path: String
  private var content: Content
  private var pace: ConnectionPace
  private var machine = ConnectionStateMachine()
  private var connection: ServerConnection?
  private var isEnded = false

  init(_ content: Content, at path: String, on loop: ClientLoop, pace: ConnectionPace) {
    self.content = content
    self.path = path
    self.loop = loop
    self.pace = pace
  }

  // On the loop, where the connection may be called back at any moment.
  isolated deinit { connection?.close() }

  /// What comes next; nil at the end, and once the task was cancelled.
  func next() async throws(HistoryError) -> Content.Element? {
    do throws(HistoryError) {
      while !isEnded, !Task.isCancelled {
        guard let connection else {
          try await connect()
          continue
        }
        if let element = try read(connection) { return element }
        // Reading may have ended it.
        guard self.connection != nil else { continue }
        if await !fill(connection) { drop() }
      }
    } catch {
      end()
      throw error
    }
    end()
    return nil
  }

  private func end() {
    isEnded = true
    machine.end()
    connection?.close()
    connection = nil
  }

  /// Waits until it is time to, and tries to connect.
  private func connect() async throws(HistoryError) {
    switch machine.next(using: &pace.generator) {
    case .stop: return
    case .pause(let duration):
      // A cancelled pause ends the sequence, which whoever asked for the next element does.
      return (try? await pace.pause(duration, executor)) ?? ()
    case .connect: break
    }
    let attempt: ServerConnection
    do throws(LoopError) {
      attempt = try await ServerConnection.open(path, on: executor)
    } catch {
      if error.isCancellation { return }
      guard error.isNobodyThere else { throw .unreachable(path, error) }
      return drop()
    }
    machine.connected()
    connection = attempt
    if !attempt.send([.hello] + content.requests) { drop() }
  }

  /// Drops a connection that is of no more use.
  private func drop() {
    connection?.close()
    connection = nil
    content.connectionLost()
    machine.failed()
  }

  /// Waits for bytes; false when the connection is lost.
  private func fill(_ connection: ServerConnection) async -> Bool {
    do throws(LoopError) {
      return try await connection.fill()
    } catch {
      // Cancelled, which whoever called finds by himself.
      return true
    }
  }

  /// Takes in what was read, up to something to give.
  private func read(_ connection: ServerConnection) throws(HistoryError) -> Content.Element? {
    while let line = connection.line() {
      switch try outcome(of: line) {
      case .nothing: continue
      case .progress: machine.wasOfUse()
      case .element(let element):
        machine.wasOfUse()
        return element
      case .lost:
        drop()
        return nil
      case .ended:
        end()
        return nil
      // What passes by itself is worth another attempt, after a pause.
      case .failed(let error) where error.code == .temporary:
        drop()
        return nil
      case .failed(let error): throw error
      }
    }
    return nil
  }

  private func outcome(
    of line: ArraySlice<UInt8>
  ) throws(HistoryError) -> SubscriptionOutcome<Content.Element> {
    do throws(LineError) {
      switch try ServerLine(line) {
      case .greeting(let version):
        return version == 1 ? .nothing : .failed(.unknownProtocol(path, version))
      case .event(let event): return try content.take(event)
      case .failure(let error, _): return .failed(error)
      case .farewell: return .lost
      case .subscribed, .answer: return .nothing
      }
    } catch {
      throw .notAServer(path, error)
    }
  }
}
