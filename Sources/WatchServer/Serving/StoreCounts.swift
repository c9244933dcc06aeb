import HistoryModel

/// What was seen of a store since the server began.
package struct StoreCounts: Sendable {
  /// How many transactions.
  package private(set) var transactions = 0
  /// How many changes.
  package private(set) var changes = 0
  /// How often positions expired: the store was replaced, restored, or its history dropped.
  package var expiries = 0

  mutating func add(_ summary: HistorySummary) {
    transactions += summary.transactions
    changes += summary.changes
  }
}
