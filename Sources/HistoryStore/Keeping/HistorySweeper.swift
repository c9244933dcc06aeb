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
  private let share: Duration
  /// The first and last row that are there, and the last that was trimmed.
  static let query = """
    SELECT (SELECT sequence FROM _history_change ORDER BY sequence LIMIT 1),
      (SELECT sequence FROM _history_change ORDER BY sequence DESC LIMIT 1),
      (SELECT value FROM _history_store WHERE key = 'trimmed')
    """
  /// After so many steps in vain it waits for the lock like any writer.
  private static let patience = 200

  private let store: TrackedStore
  private var rows: Int64 = 200
  private var vainSteps = 0
  /// Steps since the last checkpoint.
  private var steps = 0
  private var isDone = true
  private let isLogged: Bool

  /// Makes a sweeper of a store that was opened for writing.
  ///
  /// - Parameter store: The store.
  public convenience init(_ store: TrackedStore) {
    self.init(store, share: .microseconds(1500))
  }

  init(_ store: TrackedStore, share: Duration) {
    self.store = store
    self.share = share
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
    do throws(HistoryError) {
      _ = try sweep()
      vainSteps = 0
      return isDone ? .done : .more
    } catch {
      guard let cause = error.cause as? SQLiteError, cause.code.primary == .busy,
        vainSteps < Self.patience
      else { throw error }
      vainSteps += 1
      return .busy
    }
  }

  /// Whether there are rows that nobody can read any more; takes no write lock.
  func hasWork() throws(HistoryError) -> Bool {
    try HistoryError.translating(at: store.path) {
      let (first, end) = try ends()
      return first > 0 && first <= end
    }
  }

  /// Deletes some rows without anything of patience.
  ///
  /// - Returns: How many.
  func sweep() throws(HistoryError) -> Int64 {
    let start = ContinuousClock.now
    let count = try delete()
    guard count > 0 else { return 0 }
    adapt(to: start.duration(to: .now))
    steps += 1
    // Whoever commits first after a checkpoint begins the log anew and syncs its head under the
    // write lock, for as long as the disk takes; so they are rare.
    if isLogged, steps >= (isDone ? 8 : 64) {
      steps = 0
      // What it could not copy because of readers the next one will.
      _ = try? store.connection.row("PRAGMA wal_checkpoint(PASSIVE)")
    }
    return count
  }

  private func adapt(to time: Duration) {
    if time > share {
      rows = max(rows * 3 / 4, 20)
    } else if time < share / 2 {
      rows = min(rows * 3 / 2, 5000)
    }
  }

  /// The first row that is there, and the last that may be deleted.
  private func ends() throws -> (first: Int64, end: Int64) {
    let ends = try store.prepared(.ends)
    defer { ends.reset() }
    guard try ends.step() else { return (0, 0) }
    return (ends.int64(at: 0), min(ends.int64(at: 1) - 1, ends.int64(at: 2)))
  }

  private func delete() throws(HistoryError) -> Int64 {
    try HistoryError.translating(at: store.path) {
      // Whether there is anything to do is asked before the lock is taken.
      var (first, end) = try ends()
      isDone = first == 0 || first > end
      if isDone { return 0 }
      return try store.connection.transaction(.immediate) {
        (first, end) = try ends()
        let through = min(end, first + rows - 1)
        let statement = try store.prepared(.sweep)
        try statement.bind(.integer(through), at: 1)
        try statement.run()
        isDone = through >= end
        return max(through - first + 1, 0)
      }
    }
  }
}
