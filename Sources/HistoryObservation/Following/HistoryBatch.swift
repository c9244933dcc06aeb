import HistoryModel
import HistoryStore

/// What one look at a store found, decoded once for all who wait for whole transactions.
struct HistoryBatch: Sendable {
  /// How many bytes of transactions are kept for those who wait; of more than that each reads as
  /// much as it can take by itself.
  static let limit = 1 << 20

  /// The position at which it begins.
  let since: HistoryToken
  /// The position at which it ends.
  let until: HistoryToken
  /// All transactions of the range; nil when they were too many to keep.
  let transactions: [HistoryTransaction]?

  /// What somebody wants of it who has read up to where it begins.
  ///
  /// - Returns: Nil for whoever stands elsewhere, and where the transactions were not kept. A run of
  ///   untagged changes may reach from before a later position to after it.
  func wanted(_ filter: ChangeFilter, at position: HistoryToken) -> [HistoryTransaction]? {
    guard position == since else { return nil }
    return transactions?.compactMap { $0.filtered(filter) }
  }
}

/// Gathers a batch while the tail of a history is read.
struct BatchCollector {
  private var collector: TransactionCollector?
  private let since: HistoryToken

  /// Begins at a position.
  init(since token: HistoryToken) {
    since = token
    collector = TransactionCollector()
  }

  /// Takes in an item, unless there were too many.
  mutating func take(_ item: HistoryItem, values: CellBuffer) {
    switch item {
    case .change(let change, let index, _):
      collector?.append(change, in: values, index: index)
      if let size = collector?.size, size > HistoryBatch.limit { collector = nil }
    case .commit(let record, _, let token):
      collector?.commit(record, token: token)
    case .notice: break
    }
  }

  /// Forgets what was taken in of a transaction whose end did not come.
  mutating func dropUnfinished() { collector?.dropUnfinished() }

  /// The batch, once the head has been reached.
  consuming func batch(until token: HistoryToken) -> HistoryBatch {
    HistoryBatch(since: since, until: token, transactions: collector?.transactions())
  }
}
