import HistoryModel
import HistoryStore

/// Sums up what of a history matches an interest, item by item as a reader gives them.
struct InterestMeter {
  let interest: ChangeInterest
  /// What has matched since the summary was last taken.
  private(set) var summary: HistorySummary
  private var scopes = ScopeCache()
  private var changes = 0
  private var tables = NameList<String>(limit: HistorySummary.tableLimit)

  /// Begins at a position.
  init(_ interest: ChangeInterest, since token: HistoryToken) {
    self.interest = interest
    summary = HistorySummary(since: token)
  }

  /// Takes in an item.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the columns that matter.
  mutating func take(_ item: HistoryItem, values: CellBuffer) {
    switch item {
    case .change(let change, _, let transaction):
      guard interest.filter.matches(transaction),
        interest.matches(change, in: values, scopes.scope(of: change.shape, for: interest))
      else { return }
      changes += 1
      // Changes of one table follow each other mostly.
      if tables.names.last != change.shape.table { tables.add(change.shape.table) }
    case .commit(let record, _, let token):
      guard changes > 0 else { return }
      summary.add(author: record.author, changes: changes, tables: tables.names, until: token)
      changes = 0
      tables.removeAll()
    case .notice(let notice, let token):
      take(notice, token: token)
    }
  }

  /// Takes in that changes of a table may be missing, or that its shape is another.
  mutating func take(_ notice: CaptureNotice, token: HistoryToken?) {
    guard interest.filter.matches(table: notice.table) else { return }
    summary.add(noticeOf: notice.table, until: token)
  }

  /// Forgets what was taken in of a transaction whose end did not come.
  mutating func dropUnfinished() {
    changes = 0
    tables.removeAll()
  }

  /// Gives out the summary, up to a position, and begins the next one there.
  mutating func takeSummary(until token: HistoryToken) -> HistorySummary {
    var taken = summary
    taken.until = token
    summary = HistorySummary(since: token)
    return taken
  }
}
