import HistoryModel
import SQLite

/// Finds, a page at a time, up to where a history has outlived its limits.
///
/// It reads each transaction once, oldest first, and stops at the first that is still to be kept;
/// from then on a look costs nothing that grows. It takes no write lock.
final class RetentionWalk {
  /// A part of the history that has outlived its limits.
  struct Cut {
    /// The position after it.
    var token: HistoryToken
    /// How many transactions it has.
    var transactions = 0
    /// How many changes it has.
    var changes = 0
  }

  /// What a look found.
  enum Finding: Equatable {
    /// Everything is to be kept.
    case nothing
    /// Look again.
    case unfinished
    /// Some of it is not; see ``RetentionWalk/cut``.
    case cut
  }

  /// A transaction that was read and not dropped.
  private struct Entry {
    var cut: Cut
    var time: CalendarTime?
  }

  /// How many transactions are remembered before those without times are taken together.
  private static let longestQueue = 256

  /// What has outlived its limits; nil when nothing is known to have.
  private(set) var cut: Cut?
  /// The consumer that kept the last look from finding more.
  private(set) var holder: String?
  /// Whether a consumer holds history back for nobody knows how long; see
  /// ``TrackedStore/dateConsumers()``.
  private(set) var isHeldByUndated = false

  private let store: TrackedStore
  private let limits: RetentionLimits
  private let gauge: HistoryGauge?
  private var reader: HistoryReader?
  private var entries: [Entry] = []
  private var changes = 0
  /// What the store said its oldest position was when the walk last knew where it was.
  private var oldest: HistoryToken?

  init(_ store: TrackedStore, _ limits: RetentionLimits) {
    self.store = store
    self.limits = limits
    gauge = limits.bytes.map { HistoryGauge(store, limit: $0) }
  }

  /// Looks on.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - items: How many changes and transactions to read at most; a kilobyte of values counts as
  ///     one.
  /// - Returns: What is known now.
  /// - Throws: `HistoryError` when the store cannot be read.
  func look(now: CalendarTime, items: Int) throws(HistoryError) -> Finding {
    let state = try store.state()
    if oldest != state.oldest { try restart(at: state.oldest) }
    let (isMeasured, overflow) = try measure(state, rows: 4 * items)
    let bounds = Bounds(
      holder: try HistoryError.translating(at: store.path) { try store.holder() },
      overflow: overflow, moment: limits.age.map { now.earlier(by: $0) }, now: now)
    if let cut, !bounds.allow(cut.token) { try restart(at: state.oldest) }
    isHeldByUndated = bounds.holder?.isAhead ?? false
    if cut != nil { return .cut }
    holder = nil
    let reached = hasEnd(bounds) ? ReadingState.more : try read(bounds, items: items)
    take(bounds)
    if cut != nil { return .cut }
    if case .expired = reached {
      oldest = nil
      return .unfinished
    }
    let isAtEnd = hasEnd(bounds) || reached == .atHead
    return isAtEnd && isMeasured ? .nothing : .unfinished
  }

  /// The cut was made.
  func advanced() {
    guard let cut else { return }
    oldest = cut.token
    self.cut = nil
  }

  /// Consumers were dated.
  func dated() { isHeldByUndated = false }

  /// Begins anew: somebody else has trimmed, or the store is another one.
  func restart(at token: HistoryToken) throws(HistoryError) {
    entries = []
    changes = 0
    cut = nil
    oldest = token
    reader = try HistoryReader(store, after: token)
  }

  /// What decides whether a transaction is kept.
  private struct Bounds {
    let holder: TrackedStore.Holder?
    let overflow: Int64
    let moment: CalendarTime?
    let now: CalendarTime

    func allow(_ token: HistoryToken) -> Bool { token.sequence <= holder?.sequence ?? .max }

    /// Whether a transaction has outlived its limits; nil when only the next one can tell.
    func isOver(_ entry: Entry) -> Bool? {
      allow(entry.cut.token) ? hasOutlived(entry) : false
    }

    /// The same, whoever still wants to read it.
    func hasOutlived(_ entry: Entry) -> Bool? {
      if entry.cut.token.sequence <= overflow { return true }
      guard let moment else { return false }
      return isTimed(entry) ? entry.time.map { $0 < moment } : nil
    }

    /// Whether it has a time; one that lies ahead is of a clock that was wrong, and tells nothing.
    func isTimed(_ entry: Entry) -> Bool { entry.time.map { $0 <= now } ?? false }
  }

  /// Whether a transaction was read that is to be kept.
  private func hasEnd(_ bounds: Bounds) -> Bool {
    entries.contains { bounds.isOver($0) == false }
  }

  private func read(_ bounds: Bounds, items: Int) throws(HistoryError) -> ReadingState {
    guard let reader else { return .atHead }
    var left = items
    return try reader.read { item in
      left -= 1
      switch item {
      case .change:
        changes += 1
        left -= reader.values.bytes.count >> 10
        return left > 0 ? .goOn : .pause
      case .commit(let record, _, let token):
        append(
          Entry(
            cut: Cut(token: token, transactions: 1, changes: changes), time: record.timestamp),
          bounds)
        changes = 0
      case .notice(_, let token): append(Entry(cut: Cut(token: token), time: nil), bounds)
      }
      let isKept = entries.last.map { bounds.isOver($0) == false } ?? false
      return left > 0 && !isKept ? .goOn : .pause
    }
  }

  private func append(_ entry: Entry, _ bounds: Bounds) {
    guard entries.count >= Self.longestQueue, !bounds.isTimed(entry),
      let last = entries.indices.last, !bounds.isTimed(entries[last])
    else { return entries.append(entry) }
    entries[last].time = entry.time
    entries[last].cut.token = entry.cut.token
    entries[last].cut.transactions += entry.cut.transactions
    entries[last].cut.changes += entry.cut.changes
  }

  /// Makes a cut of the transactions before the first that is to be kept.
  private func take(_ bounds: Bounds) {
    let end = entries.firstIndex { bounds.isOver($0) == false } ?? entries.endIndex
    // Those without a time at the end wait for one that has a time.
    let last = entries[..<end].lastIndex { bounds.isOver($0) == true }
    if end < entries.endIndex, bounds.hasOutlived(entries[end]) == true {
      holder = bounds.holder?.name
    }
    guard let last else { return }
    var cut = Cut(token: entries[last].cut.token)
    for entry in entries[...last] {
      cut.transactions += entry.cut.transactions
      cut.changes += entry.cut.changes
    }
    self.cut = cut
    entries.removeSubrange(...last)
  }

  /// Measures on, if the file is large enough for it to matter.
  private func measure(
    _ state: StoreState, rows: Int
  ) throws(HistoryError) -> (isMeasured: Bool, overflow: Int64) {
    guard let gauge, let limit = limits.bytes else { return (true, 0) }
    return try HistoryError.translating(at: store.path) {
      // What a file holds altogether a part of it cannot exceed.
      guard try store.usedBytes() > limit else { return (true, 0) }
      let isMeasured = try gauge.measure(
        from: state.oldest.sequence, to: state.head.sequence, rows: rows)
      return (isMeasured, gauge.overflow)
    }
  }
}

extension CalendarTime {
  /// A moment before this one.
  fileprivate func earlier(by duration: Duration) -> CalendarTime {
    let (seconds, attoseconds) = duration.components
    return CalendarTime(
      milliseconds: milliseconds - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
  }
}
