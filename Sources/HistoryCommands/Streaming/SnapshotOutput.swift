import EventLoop
import HistoryModel
import HistoryObservation

/// Writes a snapshot out without letting a slow reader keep its read transaction open.
final class SnapshotOutput {
  private let gate: LoopGate
  private let spool = SnapshotSpool()
  private var writing: Task<Void, any Error>?

  init(gate: LoopGate) { self.gate = gate }

  /// Takes a page; returns soon, whatever the reader does.
  func write(_ bytes: [UInt8], _ program: isolated Program) async throws {
    try await spool.put(bytes) { [self] page, limit in
      try await offer(page, for: limit, program)
    }
  }

  /// Writes what the reader has not got yet; called when the transaction has ended.
  func finish(_ program: isolated Program) async throws {
    try await writing?.value
    while true {
      let bytes = try spool.next()
      if bytes.isEmpty { return }
      try await program.output.write(bytes)
    }
  }

  /// Returns once nothing is on its way to the reader any more.
  nonisolated(nonsending) func settle() async { _ = await writing?.result }

  private func offer(
    _ bytes: [UInt8], for limit: Duration, _ program: isolated Program
  ) async throws -> SnapshotSpool.Offer {
    let progress = Progress()
    let task = Task { [gate] in
      defer {
        progress.isDone = true
        gate.open()
      }
      try await program.output.write(bytes)
    }
    writing = task
    let start = ContinuousClock.now
    while !progress.isDone, start.duration(to: .now) < limit {
      _ = await gate.wait(for: limit - start.duration(to: .now))
    }
    guard progress.isDone else { return .underWay }
    try await task.value
    return .taken
  }

  /// Whether a write has come to its end, on the loop that both its writer and its waiter are on.
  private final class Progress {
    var isDone = false
  }
}
