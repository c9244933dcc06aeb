import EventLoop
import HistoryModel
import HistoryStore

/// The transactions of a store, newest first, a page at a time.
///
/// A page is read forwards from a boundary near its end, and turned round; so the newest
/// transactions of a large history come at once, and memory holds one page.
struct LogPages {
  /// How many rows of history a page reaches back, about.
  private static let reach: Int64 = 10_000

  private let store: TrackedStore
  private let filter: ChangeFilter
  private let oldest: HistoryToken
  private var end: HistoryToken

  init(_ store: TrackedStore, filter: ChangeFilter) throws(HistoryError) {
    self.store = store
    self.filter = filter
    let state = try store.state()
    oldest = state.oldest
    end = state.head
  }

  /// One piece of the log.
  struct Piece {
    /// What is written, with its line ends.
    let text: [UInt8]
    /// Whether it is a transaction, and not a notice.
    var isTransaction = true
  }

  /// Reads the next page.
  ///
  /// - Parameter layout: How to show it to a person; nil for JSON.
  /// - Returns: Its pieces, newest first; nil after the last page.
  /// - Throws: ``HistoryError`` when the store cannot be read.
  mutating func next(_ layout: LogLayout?) throws(HistoryError) -> [Piece]? {
    guard end.sequence > oldest.sequence else { return nil }
    let start = try max(
      oldest, store.boundary(notAfter: end.sequence - Self.reach, before: end))
    let reader = try HistoryReader(store, after: start, filter: filter, until: end)
    var pieces: [Piece] = []
    var writing = Writing(layout)
    var state = ReadingState.more
    while state == .more {
      state = try reader.read { item in
        switch item {
        case .change(let change, let index, let transaction):
          writing.add(change, in: reader.values, index: index, of: transaction)
        case .commit(let transaction, _, let token):
          pieces.append(Piece(text: writing.take(transaction, token)))
        case .notice(let notice, _):
          if let layout {
            let text = LogEntry.text(of: notice, layout)
            pieces.append(Piece(text: Array(text.utf8), isTransaction: false))
          }
        }
        return .goOn
      }
    }
    if case .expired(let reason) = state {
      throw HistoryError.historyTokenExpired(oldest: try? store.state().oldest, reason: reason)
    }
    end = start
    return pieces.reversed()
  }
}

/// The transaction that is being read, as a person or a program wants it.
private enum Writing {
  case entry(LogEntry, LogLayout)
  case json([UInt8])

  init(_ layout: LogLayout?) {
    self = layout.map { .entry(LogEntry($0), $0) } ?? .json([])
  }

  mutating func add(
    _ change: RecordedChange, in values: CellBuffer, index: Int, of transaction: TransactionRecord
  ) {
    switch self {
    case .entry(var entry, let layout):
      self = .json([])
      entry.add(change, in: values)
      self = .entry(entry, layout)
    case .json(var group):
      self = .json([])
      if !group.isEmpty { group.append(UInt8(ascii: ",")) }
      group += LineEncoder.object(change, in: values, index: index, of: transaction)
      self = .json(group)
    }
  }

  /// Ends the transaction, and begins the next.
  mutating func take(_ transaction: TransactionRecord, _ token: HistoryToken) -> [UInt8] {
    switch self {
    case .entry(let entry, let layout):
      self = .entry(LogEntry(layout), layout)
      return Array(entry.text(of: transaction).utf8)
    case .json(let group):
      self = .json([])
      var lines = LineEncoder()
      lines.transaction(transaction, changes: group, token: token)
      return lines.bytes
    }
  }
}
