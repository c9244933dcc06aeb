import EventLoop
import HistoryModel
import SQLite

/// Trims a little in the transactions of a library writer, so that a store which only library
/// writers use needs no other upkeep.
///
/// While there is nothing to trim it asks once in some tens of transactions, and else compares two
/// numbers. What it deletes in a transaction is bounded by what the transaction wrote.
final class WriterRetention {
  /// How many transactions pass from one look that found nothing to the next.
  private static let interval = 64
  /// How much a transaction deletes at least, while there is anything, and how much more for what it
  /// wrote, measured by what deleting costs.
  ///
  /// It is more than what was written, so that a backlog shrinks.
  private static let deletion = (least: Int64(32), factor: Int64(2))
  /// How many changes and transactions are read before a transaction at least, while there is
  /// something to trim.
  private static let shortestPage = 64

  private let store: TrackedStore
  private let walk: RetentionWalk
  private var transactionsToLook = 0
  /// How many are read before the next one: in proportion to what the last one wrote.
  private var page = shortestPage
  /// Whether there may be rows that nobody can read any more.
  private var hasLeftovers = true

  init(_ store: TrackedStore, _ limits: RetentionLimits) {
    self.store = store
    walk = RetentionWalk(store, limits)
  }

  /// Looks, before a transaction, whether there is something to trim; takes no write lock.
  ///
  /// What fails here fails nobody's write; it is tried again later.
  func look() {
    guard transactionsToLook <= 0 else { return transactionsToLook -= 1 }
    let now = CalendarTime(milliseconds: WallClock.milliseconds)
    let finding = try? walk.look(now: now, items: page)
    transactionsToLook = finding == .cut || finding == .unfinished ? 0 : Self.interval
  }

  /// Trims inside a write transaction.
  ///
  /// - Parameters:
  ///   - first: The first row of history that it has written.
  ///   - last: The last one.
  /// - Throws: What SQLite reports.
  func trim(written first: Int64, _ last: Int64) throws {
    if walk.isHeldByUndated {
      try store.dateConsumers()
      walk.dated()
    }
    if let cut = walk.cut {
      if try store.advance(to: cut.token) {
        walk.advanced()
        hasLeftovers = true
      } else {
        try walk.restart(at: store.header().oldest)
      }
    }
    guard hasLeftovers || transactionsToLook == 0 else { return }
    let written = try store.rowsToDelete(from: first, through: last, costing: .max).cost
    page = max(Self.shortestPage, Int(Self.deletion.factor * written))
    guard hasLeftovers, let rows = try store.sweepable() else { return hasLeftovers = false }
    let through = try store.rowsToDelete(
      from: rows.lowerBound, through: rows.upperBound,
      costing: Self.deletion.least + Self.deletion.factor * written
    ).through
    let statement = try store.prepared(.sweep)
    try statement.bind(.integer(through), at: 1)
    try statement.run()
    hasLeftovers = through < rows.upperBound
  }
}
