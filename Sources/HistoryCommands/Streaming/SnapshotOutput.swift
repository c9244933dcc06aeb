import EventLoop
import HistoryModel

/// Writes a snapshot out without letting a slow reader keep its read transaction open.
///
/// While the reader keeps up, pages go straight to it. Once it has not taken one within a tenth of
/// a second the rest goes to a file, so that the transaction can end; from there the reader gets it
/// at his leisure. An open read transaction would keep the write-ahead log from being shortened,
/// and with a rollback journal would keep everybody from writing.
final class SnapshotOutput {
  private static let patience = Duration.milliseconds(100)
  private static let chunk = 1 << 16

  private let gate: LoopGate
  private var spool: SpoolFile?
  private var writing: Task<Void, any Error>?

  init(gate: LoopGate) { self.gate = gate }

  /// Takes a page; returns soon, whatever the reader does.
  func write(_ bytes: [UInt8], _ program: isolated Program) async throws {
    if let spool {
      try append(bytes, to: spool)
      return
    }
    let progress = Progress()
    let task = Task { [gate] in
      defer {
        progress.isDone = true
        gate.open()
      }
      try await program.output.write(bytes)
    }
    let start = ContinuousClock.now
    while !progress.isDone, start.duration(to: .now) < Self.patience {
      _ = await gate.wait(for: Self.patience - start.duration(to: .now))
    }
    if progress.isDone {
      try await task.value
    } else {
      writing = task
      spool = try Self.makeSpool()
    }
  }

  /// Writes what the reader has not got yet; called when the transaction has ended.
  func finish(_ program: isolated Program) async throws {
    try await writing?.value
    guard let spool else { return }
    while true {
      let bytes: [UInt8]
      do throws(DurableFile.Failure) {
        bytes = try spool.next(Self.chunk)
      } catch {
        throw Self.failure(error)
      }
      if bytes.isEmpty { return }
      try await program.output.write(bytes)
    }
  }

  /// Whether a write has come to its end, on the loop that both its writer and its waiter are on.
  private final class Progress {
    var isDone = false
  }

  private func append(_ bytes: [UInt8], to spool: SpoolFile) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      try spool.append(bytes)
    } catch {
      throw Self.failure(error)
    }
  }

  private static func makeSpool() throws(HistoryError) -> SpoolFile {
    do throws(DurableFile.Failure) {
      return try SpoolFile()
    } catch {
      throw failure(error)
    }
  }

  private static func failure(_ error: DurableFile.Failure) -> HistoryError {
    HistoryError(
      .temporary, "the rows of a slow reader cannot be kept for it: \(error)",
      hint: "make room where TMPDIR is, or read faster")
  }
}
