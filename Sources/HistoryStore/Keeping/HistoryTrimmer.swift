public import HistoryModel
import SQLite

/// Decides which part of a history is dropped, and moves `oldest` past it.
///
/// That is one tiny transaction; from then on nobody reads below `oldest`. The rows below it are
/// deleted afterwards by a ``HistorySweeper``, so a crash at any moment leaves a history that is
/// true.
public struct HistoryTrimmer {
  /// What was dropped.
  public struct Outcome: Sendable, Hashable {
    /// How many transactions are no longer kept.
    public internal(set) var transactions = 0
    /// How many changes are no longer kept.
    public internal(set) var changes = 0
    /// The smallest position that can now be read from.
    public internal(set) var oldest: HistoryToken
    /// The consumer that kept more from being dropped, if one did.
    public internal(set) var heldBy: String?
  }

  private let store: TrackedStore
  private var connection: Connection { store.connection }

  /// Makes a trimmer of a store that was opened for writing.
  ///
  /// - Parameter store: The store.
  public init(_ store: TrackedStore) { self.store = store }

  /// Moves `oldest` past what a policy does not keep.
  ///
  /// - Parameters:
  ///   - policy: What to keep.
  ///   - isForced: Whether to drop also what a consumer has not read yet.
  /// - Returns: What was dropped.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired` when a position to
  ///   keep from has expired itself.
  /// - Complexity: O(*h*) for *h* rows of history.
  public func trim(
    keeping policy: RetentionPolicy, isForced: Bool
  ) throws(HistoryError) -> Outcome {
    let state = try store.state()
    var cut = try boundary(policy, state)
    var outcome = Outcome(oldest: state.oldest)
    if !isForced, let holder = try holder(), holder.sequence < cut.sequence {
      let token = try Consumers(store).position(of: holder.name)
      cut = max(token, state.oldest)
      outcome.heldBy = holder.name
    }
    if cut > state.oldest {
      try count(from: state.oldest, to: cut, &outcome)
      try advance(to: cut)
    }
    outcome.oldest = try store.state().oldest
    return outcome
  }

  /// The position that a policy cuts at: always between two transactions.
  private func boundary(
    _ policy: RetentionPolicy, _ state: StoreState
  ) throws(HistoryError) -> HistoryToken {
    switch policy {
    case .after(let token):
      switch try store.resolve(.after(token)).position {
      case .usable(let token): return token
      case .expired(_, .trimmed): return state.oldest
      case .expired(_, let reason):
        throw HistoryError.historyTokenExpired(oldest: state.oldest, reason: reason)
      }
    case .newest(let count):
      var ends = [state.oldest]
      try walk(state.oldest, state.head) { _, token in
        ends.append(token)
        if ends.count > count + 1 { ends.removeFirst(ends.count - count - 1) }
        return .goOn
      }
      return count == 0 ? state.head : ends[0]
    case .since(let time):
      var cut = state.oldest
      let now = try presentTime()
      try walk(state.oldest, state.head) { record, token in
        // Without a time, or with one that a wrong clock gave, it is as old as the next
        // transaction that has a time.
        guard let timestamp = record.timestamp, timestamp <= now else { return .goOn }
        if timestamp >= time { return .pause }
        cut = token
        return .goOn
      }
      return cut
    case .size(let bytes):
      let first = try firstRow(fitting: bytes, state)
      if first <= state.oldest.sequence + 1 { return state.oldest }
      var cut = state.oldest
      try walk(state.oldest, state.head) { _, token in
        cut = token
        return token.sequence >= first - 1 ? .pause : .goOn
      }
      return first > state.head.sequence ? state.head : cut
    }
  }

  /// The present time, by the clock that gives transactions theirs.
  private func presentTime() throws(HistoryError) -> CalendarTime {
    try HistoryError.translating(at: store.path) {
      let statement = try connection.prepare("SELECT julianday('now')")
      let time = try statement.step() ? CalendarTime(julianDay: statement.double(at: 0)) : nil
      return time ?? CalendarTime(milliseconds: .max)
    }
  }

  /// Walks over the transactions that changed something.
  private func walk(
    _ start: HistoryToken, _ end: HistoryToken,
    _ body: (TransactionRecord, HistoryToken) -> ReadingStep
  ) throws(HistoryError) {
    let reader = try HistoryReader(store, after: start, until: end)
    var isPaused = false
    var state = ReadingState.more
    while state == .more && !isPaused {
      var items = 0
      state = try reader.read { item in
        items += 1
        if case .commit(let record, _, let token) = item {
          if body(record, token) == .pause { isPaused = true }
        }
        return isPaused || items >= 10_000 ? .pause : .goOn
      }
    }
    if case .expired(let reason) = state {
      throw HistoryError.historyTokenExpired(oldest: try? store.state().oldest, reason: reason)
    }
  }

  /// The first row of the newest that fit into so many bytes.
  private func firstRow(
    fitting bytes: Int64, _ state: StoreState
  ) throws(HistoryError) -> Int64 {
    try HistoryError.translating(at: store.path) {
      let statement = try connection.prepare(
        """
        SELECT sequence, \(Layout.slotNames(Layout.slots)) FROM _history_change
        WHERE sequence > ? ORDER BY sequence DESC
        """)
      try statement.bind(.integer(state.oldest.sequence), at: 1)
      var size: Int64 = 0
      var first = state.head.sequence + 1
      while try statement.step() {
        // A row has some twenty bytes of its own besides its values.
        size += 20
        for column in 1...Layout.slots { size += statement.storedSize(at: column) }
        if size > bytes { break }
        first = statement.int64(at: 0)
      }
      return first
    }
  }

  /// The consumer that is furthest behind and still holds history back.
  private func holder() throws(HistoryError) -> (name: String, sequence: Int64)? {
    try HistoryError.translating(at: store.path) {
      try store.holder()
    }
  }

  private func count(
    from start: HistoryToken, to end: HistoryToken, _ outcome: inout Outcome
  ) throws(HistoryError) {
    var transactions = 0
    var changes = 0
    let reader = try HistoryReader(store, after: start, until: end)
    var state = ReadingState.more
    while state == .more {
      var items = 0
      state = try reader.read { item in
        items += 1
        switch item {
        case .change: changes += 1
        case .commit: transactions += 1
        case .notice: break
        }
        return items >= 10_000 ? .pause : .goOn
      }
    }
    outcome.transactions = transactions
    outcome.changes = changes
  }

  private func advance(to cut: HistoryToken) throws(HistoryError) {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        var header = try StoreHeader(connection)
        guard cut.sequence > header.trimmed else { return }
        if let reason = try store.expiry(of: cut, in: header) {
          throw HistoryError.historyTokenExpired(oldest: header.oldest, reason: reason)
        }
        header.trimmed = cut.sequence
        header.trimmedCheck = cut.check
        try header.write(to: connection)
      }
    }
  }
}
