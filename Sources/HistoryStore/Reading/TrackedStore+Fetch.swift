public import HistoryModel

extension TrackedStore {
  /// Returns the transactions that follow a position, oldest first.
  ///
  /// A transaction is never split across two pages. It plays the part of SwiftData's
  /// `fetchHistory(_:)`.
  ///
  /// ```swift
  /// let page = try store.fetchHistory(HistoryDescriptor(after: .after(token), limit: 100))
  /// ```
  ///
  /// - Parameter descriptor: Which transactions to return.
  /// - Returns: At most so many transactions as the descriptor says, and the position after them.
  /// - Throws: ``HistoryModel/HistoryError`` with code `historyTokenExpired`, which names the oldest
  ///   position that is left, `foreignToken` or `notTracked`.
  /// - Complexity: O(log *h* + *n*) for *n* rows of history read out of *h* kept.
  public func fetchHistory(_ descriptor: HistoryDescriptor) throws(HistoryError) -> HistoryPage {
    let (position, state) = try resolve(descriptor.after)
    let start: HistoryToken
    switch position {
    case .usable(let token): start = token
    case .expired(_, let reason):
      throw .historyTokenExpired(oldest: state.oldest, reason: reason)
    }
    if descriptor.limit == 0 {
      return HistoryPage(transactions: [], token: start, hasMore: start != state.head)
    }
    let reader = try HistoryReader(self, after: start, filter: descriptor.filter)
    var collector = TransactionCollector()
    var reading = ReadingState.more
    while reading == .more, collector.count < descriptor.limit ?? .max {
      reading = try reader.collect(into: &collector) { $0.count >= descriptor.limit ?? .max }
    }
    if case .expired(let reason) = reading {
      throw .historyTokenExpired(oldest: try? self.state().oldest, reason: reason)
    }
    return HistoryPage(
      transactions: collector.transactions(), token: reader.token, hasMore: reading == .more)
  }
}

extension HistoryReader {
  /// Reads transactions into a collector.
  ///
  /// - Parameters:
  ///   - collector: What to add them to.
  ///   - isEnough: Asked after each item whether to stop there for now.
  /// - Returns: Where the reader stands.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  package func collect(
    into collector: inout TransactionCollector, until isEnough: (TransactionCollector) -> Bool
  ) throws(HistoryError) -> ReadingState {
    try read { item in
      switch item {
      case .change(let change, let index, _):
        collector.append(change, in: values, index: index)
      case .commit(let record, _, let token):
        collector.commit(record, token: token)
      case .notice: break
      }
      return isEnough(collector) ? .pause : .goOn
    }
  }
}
