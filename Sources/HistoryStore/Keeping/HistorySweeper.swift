public import HistoryModel
import SQLite

/// Deletes the rows of history that nobody can read any more, in transactions too short for a
/// writer to feel.
///
/// Each step tries to take the write lock without waiting, and holds it for about half a millisecond:
/// it deletes more or less next time by how long the last took, and how much a row is follows from
/// its size. It gives way to writers, but not for ever. The newest row is never deleted: its sequence
/// must not be used again (fact 30).
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
  /// met by a writer that does not wait, and over when one that does looks again after a millisecond.
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
  /// How much the next step deletes, as ``RowSize/costToDelete`` has it; one row at least.
  private var budget: Int64 = 64
  private static let largestBudget: Int64 = 5000
  /// What the next step deletes at least.
  ///
  /// A sync takes as long however little was deleted: steps that shrank for its sake would be as many
  /// as there are rows. A rollback journal brings one to each step.
  private var leastBudget: Int64 { isLogged ? 20 : 200 }
  private var vainSteps = 0
  /// Steps since the last checkpoint.
  private var steps = 0
  private var isDone = true
  private let isLogged: Bool
  /// What the connection is set to besides.
  private let settings: [(name: String, value: Int64)]

  /// Makes a sweeper of a store that was opened for writing, and for nothing else meanwhile: what
  /// the sweeper deletes need not be safe from a power failure.
  ///
  /// - Parameter store: The store.
  public convenience init(_ store: TrackedStore) {
    self.init(store, share: .microseconds(500))
  }

  init(_ store: TrackedStore, share: Duration) {
    self.store = store
    self.share = share
    let connection = store.connection
    settings = ["synchronous", "wal_autocheckpoint", "busy_timeout"].compactMap { name in
      (try? connection.row("PRAGMA \(name)")?.first?.integer).map { (name, $0) }
    }
    // A step that a power failure undoes is done again, so with a write-ahead log it need not sync
    // the log while it holds the lock; and checkpoints are made between the steps.
    let mode = try? connection.row("PRAGMA journal_mode")?.first?.text
    isLogged = mode == "wal"
    if isLogged {
      try? connection.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
    }
  }

  deinit {
    for (name, value) in settings {
      try? store.connection.execute("PRAGMA \(name) = \(value)")
    }
  }

  /// Deletes all that is to be deleted, step by step.
  ///
  /// - Parameters:
  ///   - isolation: Where.
  ///   - pause: Lets a while pass between two steps.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written, and what `pause`
  ///   throws; what was not deleted by then the next sweeper deletes.
  public func finish(
    isolation: isolated (any Actor)? = #isolation, pausing pause: (Duration) async throws -> Void
  ) async throws {
    while true {
      switch try step() {
      case .done: return
      case .more: try await pause(.milliseconds(2))
      case .busy: try await pause(.milliseconds(4))
      }
    }
  }

  /// Deletes some rows.
  ///
  /// - Returns: Whether there is more to do.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written.
  public func step() throws(HistoryError) -> Step {
    store.waitForLocks(milliseconds: vainSteps >= Self.patience ? 5000 : 0)
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
      try store.sweepable() != nil
    }
  }

  /// Deletes some rows without anything of patience.
  ///
  /// - Returns: How many.
  func sweep() throws(HistoryError) -> Int64 {
    guard let (through, cost) = try reach() else { return 0 }
    let start = ContinuousClock.now
    let count = try delete(through: through)
    adapt(to: start.duration(to: .now), cost)
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

  /// Makes the next step as large as would have taken most of the share, by what this one took.
  private func adapt(to time: Duration, _ cost: Int64) {
    let fitting = Double(cost) * 0.75 * (share / max(time, .microseconds(1)))
    // What was quick may have been lucky.
    budget = min(max(Int64(min(fitting, Double(4 * budget))), leastBudget), Self.largestBudget)
  }

  /// The last row of the next step, and what it will cost; nil when nothing is left.
  ///
  /// That is asked before the lock is taken, and reads the pages that will be needed under it.
  private func reach() throws(HistoryError) -> (through: Int64, cost: Int64)? {
    try HistoryError.translating(at: store.path) {
      guard let rows = try store.sweepable() else {
        isDone = true
        return nil
      }
      return try store.rowsToDelete(
        from: rows.lowerBound, through: rows.upperBound, costing: budget)
    }
  }

  private func delete(through last: Int64) throws(HistoryError) -> Int64 {
    try HistoryError.translating(at: store.path) {
      try store.connection.transaction(.immediate) {
        // Another sweeper may have been there, and a restored store has other rows.
        guard let end = try store.sweepable()?.upperBound else {
          isDone = true
          return 0
        }
        isDone = last >= end
        let statement = try store.prepared(.sweep)
        try statement.bind(.integer(min(last, end)), at: 1)
        try statement.run()
        return store.connection.changes
      }
    }
  }
}
