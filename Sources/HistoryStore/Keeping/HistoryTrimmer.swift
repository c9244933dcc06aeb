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

  /// How often to begin again where the history was not the same any more at the end.
  private static let attempts = 5
  /// How many rows are read in one read transaction; a kilobyte of values counts as one.
  private static let page = 10_000

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
    for _ in 0..<Self.attempts {
      let state = try store.state()
      var outcome = Outcome(oldest: state.oldest)
      var cut = try boundary(policy, state)
      if !isForced, let holder = try holder(), holder.token.sequence < cut.sequence {
        cut = holder.token
        outcome.heldBy = holder.name
      }
      guard cut.sequence > state.oldest.sequence else { return outcome }
      // Others trim as well, and a consumer may come or go back, while the history is read.
      guard try count(from: state.oldest, to: cut, &outcome),
        try advance(to: cut, isForced: isForced)
      else { continue }
      outcome.oldest = try store.state().oldest
      return outcome
    }
    return Outcome(oldest: try store.state().oldest)
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
      guard count > 0 else { return state.head }
      // A ring of the last ends: of so many transactions, and of the one before them.
      var ends = [state.oldest]
      var first = 0
      try walk(state.oldest, state.head) { _, token in
        if ends.count <= count {
          ends.append(token)
        } else {
          ends[first] = token
          first = (first + 1) % ends.count
        }
        return .goOn
      }
      return ends[first]
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
      var left = Self.page
      state = try reader.read { item in
        left -= 1
        switch item {
        case .change: left -= reader.values.bytes.count >> 10
        case .commit(let record, _, let token):
          if body(record, token) == .pause { isPaused = true }
        case .notice: break
        }
        return isPaused || left <= 0 ? .pause : .goOn
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
    var size: Int64 = 0
    var first = state.head.sequence + 1
    var isAtEnd = false
    while !isAtEnd {
      try HistoryError.translating(at: store.path) {
        let statement = try store.prepared(.measureBack)
        defer { statement.reset() }
        try statement.bind(.integer(state.oldest.sequence), at: 1)
        try statement.bind(.integer(first - 1), at: 2)
        var left = Int64(Self.page)
        while left > 0 {
          guard try statement.step() else { return isAtEnd = true }
          let row = RowSize(statement, from: 1)
          size += row.bytes
          if size > bytes { return isAtEnd = true }
          first = statement.int64(at: 0)
          left -= row.costToRead
        }
      }
    }
    return first
  }

  /// The consumer that is furthest behind and still holds history back, and its position.
  private func holder() throws(HistoryError) -> (name: String, token: HistoryToken)? {
    try HistoryError.translating(at: store.path) {
      let holder = try connection.transaction(.deferred) {
        try store.holder().map { ($0, try store.token(at: $0.sequence, of: store.header())) }
      }
      guard let (holder, token) = holder else { return nil }
      if holder.isAhead { try connection.transaction(.immediate) { try store.dateConsumers() } }
      return (holder.name, token)
    }
  }

  /// Counts what is between two positions.
  ///
  /// - Returns: Whether all of it was still there.
  private func count(
    from start: HistoryToken, to end: HistoryToken, _ outcome: inout Outcome
  ) throws(HistoryError) -> Bool {
    var transactions = 0
    var changes = 0
    let reader = try HistoryReader(store, after: start, until: end)
    var state = ReadingState.more
    while state == .more {
      var left = Self.page
      state = try reader.read { item in
        left -= 1
        switch item {
        case .change:
          changes += 1
          left -= reader.values.bytes.count >> 10
        case .commit: transactions += 1
        case .notice: break
        }
        return left <= 0 ? .pause : .goOn
      }
    }
    outcome.transactions = transactions
    outcome.changes = changes
    return state == .atEnd
  }

  private func advance(to cut: HistoryToken, isForced: Bool) throws(HistoryError) -> Bool {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) { try store.advance(to: cut, isForced: isForced) }
    }
  }
}
