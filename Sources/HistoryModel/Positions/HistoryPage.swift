/// Some transactions of a history, and where they end.
public struct HistoryPage: Sendable, Hashable {
  /// The transactions, oldest first.
  public let transactions: [HistoryTransaction]
  /// The position up to which everything that was asked for is here: reading on from it misses
  /// nothing.
  public let token: HistoryToken
  /// Whether the history goes on after ``token``.
  public let hasMore: Bool

  package init(transactions: [HistoryTransaction], token: HistoryToken, hasMore: Bool) {
    self.transactions = transactions
    self.token = token
    self.hasMore = hasMore
  }
}
