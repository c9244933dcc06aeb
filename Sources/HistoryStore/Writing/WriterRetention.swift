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
  /// How many rows a transaction deletes at least, while there are any, and how many more for each
  /// row that it wrote: more than one, so that a backlog shrinks.
  private static let deletion = (least: Int64(32), perRow: Int64(2))
  /// How many changes and transactions are read before a transaction, while there is something to
  /// trim.
  private static let page = 64

  private let store: TrackedStore
  private let walk: RetentionWalk
  private var transactionsToLook = 0
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
    let finding = try? walk.look(now: now, items: Self.page)
    transactionsToLook = finding == .cut || finding == .unfinished ? 0 : Self.interval
  }

  /// Trims inside a write transaction that has written rows.
  func trim(rowsWritten: Int64) throws {
    if let cut = walk.cut {
      if try store.advance(to: cut.token) {
        walk.advanced()
        hasLeftovers = true
      } else {
        try walk.restart(at: store.header().oldest)
      }
    }
    guard hasLeftovers else { return }
    let ends = try store.prepared(.ends)
    defer { ends.reset() }
    guard try ends.step() else { return }
    let (first, last) = (ends.int64(at: 0), min(ends.int64(at: 1) - 1, ends.int64(at: 2)))
    // A statement that is under way would read on in what is deleted.
    ends.reset()
    let count = Self.deletion.least + Self.deletion.perRow * rowsWritten
    let through = min(last, first + count - 1)
    if first > 0, first <= last {
      let statement = try store.prepared(.sweep)
      try statement.bind(.integer(through), at: 1)
      try statement.run()
    }
    hasLeftovers = first > 0 && through < last
  }
}
