package import HistoryModel
import HistoryStore
import SQLite

/// The rows of a query at one position, as its receiver gets them.
package struct ResultsUpdate: Sendable {
  /// The rows.
  package let rows: ResultRows
  /// The position at which they are so.
  package let token: HistoryToken
  /// The places of the key columns; none where a row is its own key.
  package let key: [Int]
  /// The place of the column that parts rows into sections.
  package let section: Int?

  /// The sections of the rows; nil where none were asked for.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  package var sections: [ResultsSection]? { section.map { rows.sections(by: $0) } }
}

/// Who gets the rows of a query, on the loop.
package protocol ResultsReceiver: AnyObject, Sendable {
  /// The rows are others than before, or these are the first.
  ///
  /// - Returns: Whether they could be taken; if not, the next are told even if they are equal.
  func received(_ update: ResultsUpdate) -> Bool

  /// Nothing has changed in the rows up to a position.
  func unchanged(at token: HistoryToken)

  /// The query could not be run.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - isFinal: Whether nothing follows; else it is run again after the next commit.
  func failed(_ error: HistoryError, isFinal: Bool)
}

/// Keeps the rows of one query current for its receiver.
///
/// The query runs again only after a commit that touched what it reads. Confined to the loop of its
/// hub.
final class ResultsFeed: StoreFeed {
  private let request: ResultsRequest
  private weak var receiver: (any ResultsReceiver)?
  private var query: ReadQuery
  /// The store that the query has yet to be prepared for.
  private var nextStore: TrackedStore?
  private var scopes = ScopeCache()
  private var rows: ResultRows?
  private var isStale = true
  /// Whether something was committed since it last read or did not have to.
  private var hasSeen = false
  private var isClosed = false
  /// Why it was closed before it began.
  private var ending: HistoryError?
  private(set) var hasBegun = false
  private let counts: FeedCounts
  /// Its place among all that were asked for.
  let number: Int

  /// Prepares a query.
  init(
    _ request: ResultsRequest, to receiver: any ResultsReceiver, on store: TrackedStore,
    counting counts: FeedCounts, number: Int
  ) throws(HistoryError) {
    self.request = request
    self.number = number
    self.receiver = receiver
    self.counts = counts
    query = try Self.query(request, store)
  }

  private static func query(
    _ request: ResultsRequest, _ store: TrackedStore
  ) throws(HistoryError) -> ReadQuery {
    try ReadQuery(
      request.query, arguments: request.arguments, key: request.key, section: request.section,
      timeLimit: request.timeLimit,
      on: store)
  }

  var isGone: Bool { isClosed || receiver == nil }

  /// Whether this feed is somebody's.
  func isFor(_ other: any ResultsReceiver) -> Bool { receiver === other }

  func take(_ item: HistoryItem, values: CellBuffer) {
    hasSeen = true
    guard !isStale else { return }
    let interest = query.interest
    switch item {
    case .change(let change, _, _):
      isStale = interest.matches(change, in: values, scopes.scope(of: change.shape, for: interest))
    case .notice(let notice, _):
      isStale = interest.filter.matches(table: notice.table)
    case .commit: break
    }
  }

  /// Reads the first rows, and takes the receiver over from the feeds that he had.
  ///
  /// - Parameter others: The other feeds of the receiver. Of several that are asked for at once the
  ///   last stays.
  /// - Throws: `HistoryError` when the query fails, or the store was closed meanwhile.
  func begin(among others: [ResultsFeed]) throws(HistoryError) {
    if let ending { throw ending }
    let begun = others.filter(\.hasBegun)
    guard !begun.contains(where: { $0.number > number }) else {
      isClosed = true
      return
    }
    try read()
    hasBegun = true
    for feed in begun { feed.isClosed = true }
  }

  func refresh() throws(HistoryError) {
    guard hasBegun, !isGone else { return }
    do throws(HistoryError) {
      if !isStale, try query.isCaptureCurrent() {
        if hasSeen { counts.avoided += 1 }
      } else {
        try read()
      }
      hasSeen = false
    } catch {
      if error.passesByItself { throw error }
      // It would take as long after each commit.
      if (error.cause as? SQLiteError)?.code.primary == .interrupt { return closed(error) }
      receiver?.failed(error, isFinal: false)
    }
  }

  private func read() throws(HistoryError) {
    counts.runs += 1
    isStale = true
    if let store = nextStore {
      query = try Self.query(request, store)
      nextStore = nil
    }
    let (new, token) = try query.rows()
    isStale = false
    // What matters to the query may be something else now, also where its rows are the same.
    scopes = ScopeCache()
    guard new != rows else {
      receiver?.unchanged(at: token)
      return
    }
    let update = ResultsUpdate(rows: new, token: token, key: query.key, section: query.section)
    if receiver?.received(update) == true { rows = new }
  }

  func storeChanged(_ store: TrackedStore) {
    isStale = true
    nextStore = store
  }

  func closed(_ error: HistoryError) {
    isClosed = true
    // Whoever waits for the first rows is thrown it.
    if hasBegun { receiver?.failed(error, isFinal: true) } else { ending = error }
  }
}

/// How often the queries of a store ran, and how often they did not have to.
package final class FeedCounts {
  /// How often a query ran.
  package fileprivate(set) var runs = 0
  /// How often something was committed that a query does not read.
  package fileprivate(set) var avoided = 0
}
