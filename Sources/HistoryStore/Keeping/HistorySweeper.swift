public import HistoryModel
import SQLite

/// Deletes the rows of history that nobody can read any more, in transactions too short for a
/// writer to feel.
///
/// Each step tries to take the write lock without waiting, and holds it for about a millisecond:
/// it deletes more or fewer rows next time by how long the last took. It gives way to writers, but
/// not for ever. The newest row is never deleted: its sequence must not be used again (fact 30).
public final class HistorySweeper {
  /// What a step did.
  public enum Step: Sendable {
    /// Nothing is left to delete.
    case done
    /// Something is left; pause before the next step, so that others get their turn.
    case more
    /// Somebody else was writing; pause for longer.
    case busy
  }

  /// How long a step should hold the write lock: long enough to get on, short enough to be hardly
  /// met by a writer that does not wait.
  private static let share = Duration.microseconds(1500)
  /// The first and last row that are there, and the last that was trimmed.
  static let query = """
    SELECT (SELECT sequence FROM _history_change ORDER BY sequence LIMIT 1),
      (SELECT sequence FROM _history_change ORDER BY sequence DESC LIMIT 1),
      (SELECT value FROM _history_store WHERE key = 'trimmed')
    """
  /// After so many steps in vain it waits for the lock like any writer.
  private static let patience = 200

  private let store: TrackedStore
  private var rows: Int64 = 500
  private var vainSteps = 0
  private var steps = 0
  private let isLogged: Bool

  /// Makes a sweeper of a store that was opened for writing.
  ///
  /// - Parameter store: The store.
  public init(_ store: TrackedStore) {
    self.store = store
    // A step that a power failure undoes is done again, so with a write-ahead log it need not sync
    // the log while it holds the lock; and checkpoints are made between the steps.
    let mode = try? store.connection.row("PRAGMA journal_mode")?.first?.text
    isLogged = mode == "wal"
    if isLogged {
      try? store.connection.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
    }
  }

  deinit {
    // The connection goes on as SQLite's defaults have it.
    if isLogged {
      try? store.connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000")
    }
  }

  /// Deletes some rows.
  ///
  /// - Returns: Whether there is more to do.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written.
  public func step() throws(HistoryError) -> Step {
    store.waitForLocks(milliseconds: vainSteps >= Self.patience ? 5000 : 0)
    defer { store.waitForLocks(milliseconds: 5000) }
    let start = ContinuousClock.now
    do throws(HistoryError) {
      let isDone = try delete()
      adapt(to: start.duration(to: .now))
      vainSteps = 0
      steps += 1
      if isLogged, isDone || steps % 8 == 0 {
        // What it could not copy because of readers the next one will.
        _ = try? store.connection.row("PRAGMA wal_checkpoint(PASSIVE)")
      }
      return isDone ? .done : .more
    } catch {
      guard let cause = error.cause as? SQLiteError, cause.code.primary == .busy,
        vainSteps < Self.patience
      else { throw error }
      vainSteps += 1
      return .busy
    }
  }

  private func adapt(to time: Duration) {
    if time > Self.share {
      rows = max(rows * 3 / 4, 20)
    } else if time < Self.share / 2 {
      rows = min(rows * 3 / 2, 5000)
    }
  }

  private func delete() throws(HistoryError) -> Bool {
    try HistoryError.translating(at: store.path) {
      let connection = store.connection
      let ends = try store.prepared(.ends)
      // Whether there is anything to do is asked before the lock is taken.
      func last() throws -> (first: Int64, end: Int64) {
        defer { ends.reset() }
        guard try ends.step() else { return (0, 0) }
        return (ends.int64(at: 0), min(ends.int64(at: 1) - 1, ends.int64(at: 2)))
      }
      var (first, end) = try last()
      guard first > 0, first <= end else { return true }
      return try connection.transaction(.immediate) {
        (first, end) = try last()
        let through = min(end, first + rows - 1)
        let statement = try store.prepared(.sweep)
        try statement.bind(.integer(through), at: 1)
        try statement.run()
        return through >= end
      }
    }
  }
}
