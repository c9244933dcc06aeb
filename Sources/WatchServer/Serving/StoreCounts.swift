import EventLoop
import HistoryModel
import HistoryStore

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

/// What a collector of metrics wants to know of a store.
struct StoreFigures: Sendable {
  /// What was seen of it.
  let counts: StoreCounts
  /// How it is; nil while it cannot be read.
  var report: StoreReport?
  /// How often what woke the reader.
  var wakeUps: [WakeUpCounts.Source] = []
  /// How many rows of history were dropped for its limits.
  var trimmedRows: Int64 = 0
  /// What was done for its timelines.
  var reloads: [(timeline: String, counts: ReloadCounts)] = []
}
