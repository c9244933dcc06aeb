package import HistoryModel
import SQLite

/// Keeps a history within its limits in small steps, for whoever decides when to take them.
///
/// Looking takes no write lock; working takes it without waiting, for about a millisecond.
package final class HistoryRetention {
  /// What is to be done.
  package enum Outlook: Sendable, Hashable {
    /// Nothing.
    case nothing
    /// To look again.
    case unfinished
    /// To work.
    case work
  }

  /// What was done so far.
  package struct Totals: Sendable, Hashable {
    /// Transactions that are no longer kept.
    package var transactions = 0
    /// Changes that are no longer kept.
    package var changes = 0
    /// Rows of the history that were deleted.
    package var rows: Int64 = 0
    /// Steps that had the write lock.
    package var steps = 0

    /// Nothing was done.
    package init() {}
  }

  /// What was done so far.
  package private(set) var totals = Totals()
  /// The consumer that keeps more from being dropped, if one does.
  package var heldBy: String? { walk.holder }

  private let store: TrackedStore
  private let walk: RetentionWalk
  private let sweeper: HistorySweeper
  private var version: Int64?

  /// How long a step should have the write lock.
  private static let share = Duration.milliseconds(1)
  /// How many changes and transactions a look reads at most: a few milliseconds' worth.
  private static let page = 2000

  /// Opens a store to keep it within limits.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - limits: The limits.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` when there is no file
  ///   that could be a database.
  package init(path: String, limits: RetentionLimits) throws(HistoryError) {
    store = try TrackedStore(path: path, access: .readWrite, busyTimeout: 0)
    walk = RetentionWalk(store, limits)
    sweeper = HistorySweeper(store, share: Self.share)
  }

  /// Whether the path still leads to the file that was opened.
  package var isCurrent: Bool { store.file.isStill(at: store.path) }

  /// Looks what is to be done, for some milliseconds.
  ///
  /// - Parameter now: The present time.
  /// - Returns: What is to be done.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  package func look(now: CalendarTime) throws(HistoryError) -> Outlook {
    if try sweeper.hasWork() { return .work }
    let finding = try walk.look(now: now, items: Self.page)
    if walk.isHeldByUndated { return .work }
    switch finding {
    case .nothing: return .nothing
    case .unfinished: return .unfinished
    case .cut: return .work
    }
  }

  /// Whether another connection has committed since this was last asked.
  ///
  /// - Returns: Whether; false the first time.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  package func othersCommitted() throws(HistoryError) -> Bool {
    let now = try HistoryError.translating(at: store.path) { try store.dataVersion() }
    defer { version = now }
    return version.map { $0 != now } ?? false
  }

  /// Does a little of what is to be done.
  ///
  /// - Returns: False when somebody else had the write lock.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written.
  package func work() throws(HistoryError) -> Bool {
    do throws(HistoryError) {
      if walk.isHeldByUndated {
        try HistoryError.translating(at: store.path) {
          try store.connection.transaction(.immediate) { try store.dateConsumers() }
        }
        walk.dated()
      } else if let cut = walk.cut, try !sweeper.hasWork() {
        let isMade = try HistoryError.translating(at: store.path) {
          try store.connection.transaction(.immediate) { try store.advance(to: cut.token) }
        }
        if isMade {
          totals.transactions += cut.transactions
          totals.changes += cut.changes
          walk.advanced()
        } else {
          try walk.restart(at: store.state().oldest)
        }
      } else {
        totals.rows += try sweeper.sweep()
      }
      totals.steps += 1
      return true
    } catch {
      guard error.passesByItself else { throw error }
      return false
    }
  }
}
