import EventLoop
import HistoryModel
import HistorySync
import WatchClient

#if NATS
  import JetStream
#endif

/// Makes connections to a broker, one after the other, with pauses that grow while none is of use.
///
/// Confined to the program's loop.
final class RelayConnector {
  private let stream: RelayStream
  private let gate: LoopGate
  private let isPatient: Bool
  private var machine = ConnectionStateMachine()
  private var generator = SystemRandomNumberGenerator()
  private var connection: RelayStream.Connection?
  private var isEnded = false
  private var hasSaid = false

  /// Makes one.
  ///
  /// - Parameters:
  ///   - stream: Where to.
  ///   - gate: Where whoever drives it waits.
  ///   - isPatient: Whether to try for ever; else the first failure counts.
  init(_ stream: RelayStream, _ gate: LoopGate, isPatient: Bool) {
    self.stream = stream
    self.gate = gate
    self.isPatient = isPatient
  }

  /// Connects, once it is time to.
  ///
  /// - Parameters:
  ///   - program: The program.
  ///   - body: What to do first with the connection.
  /// - Returns: What the body returned; nil when there is none yet, or ``end()`` was called.
  /// - Throws: ``HistoryError`` when trying again will not help, or is not wanted.
  func connect<T>(
    _ program: isolated Program,
    _ body: nonisolated(nonsending) (RelayStream.Connection) async throws(RelayFailure) -> T
  ) async throws(HistoryError) -> T? {
    switch machine.next(using: &generator) {
    case .stop: return nil
    case .pause(let duration):
      // The gate may be opened for other reasons.
      let start = ContinuousClock.now
      while !isEnded, case let left = duration - start.duration(to: .now), left > .zero {
        _ = await gate.wait(for: left)
      }
      return nil
    case .connect: break
    }
    do throws(RelayFailure) {
      let connection = try stream.prepare(on: program.executor) { [gate] in gate.open() }
      self.connection = connection
      try await connection.connect()
      let result = try await body(connection)
      machine.connected()
      return result
    } catch {
      try await failed(error, program)
      return nil
    }
  }

  /// A connection brought what it was made for.
  func wasOfUse() {
    machine.wasOfUse()
    hasSaid = false
  }

  /// A connection is lost, or was not to be had.
  func failed(_ failure: RelayFailure, _ program: isolated Program) async throws(HistoryError) {
    connection?.close()
    connection = nil
    machine.failed()
    switch failure {
    case .failed(let error): throw error
    case .refused: break
    case .lost(let error):
      guard isPatient else { throw error }
      if isEnded || hasSaid { return }
      hasSaid = true
      await program.note("historywatch: \(error.message); trying again")
    }
  }

  /// Ends it; whoever waits for the connection is told that it is lost.
  func end() {
    isEnded = true
    machine.end()
    connection?.close()
    connection = nil
  }
}
