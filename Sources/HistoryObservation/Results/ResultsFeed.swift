package import HistoryModel
import HistoryStore

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

/// What a feed is asked to keep current.
package struct ResultsRequest: Sendable {
  /// One statement that only reads.
  package var query: String
  /// The values of its parameters.
  package var arguments: QueryArguments
  /// The names of the columns by which rows are told apart.
  package var key: [String]
  /// The name of the column that parts rows into sections.
  package var section: String?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - query: One statement that only reads.
  ///   - arguments: The values of its parameters.
  ///   - key: The names of the columns by which rows are told apart.
  ///   - section: The name of the column that parts rows into sections.
  package init(
    query: String, arguments: QueryArguments = QueryArguments(), key: [String] = [],
    section: String? = nil
  ) {
    self.query = query
    self.arguments = arguments
    self.key = key
    self.section = section
  }
}

/// Keeps the rows of one query current for its receiver.
///
/// The query runs again only after a commit that touched what it reads. Confined to the loop of its
/// hub.
final class ResultsFeed: StoreFeed {
  private let request: ResultsRequest
  private weak var receiver: (any ResultsReceiver)?
  private var query: ReadQuery
  private var scopes = ScopeCache()
  private var rows: ResultRows?
  private var isStale = true
  /// Whether something was committed since it last read or did not have to.
  private var hasSeen = false
  private var isClosed = false
  private let counts: FeedCounts

  /// Prepares a query.
  init(
    _ request: ResultsRequest, to receiver: any ResultsReceiver, on store: TrackedStore,
    counting counts: FeedCounts
  ) throws(HistoryError) {
    self.request = request
    self.receiver = receiver
    self.counts = counts
    query = try Self.query(request, store)
  }

  private static func query(
    _ request: ResultsRequest, _ store: TrackedStore
  ) throws(HistoryError) -> ReadQuery {
    try ReadQuery(
      request.query, arguments: request.arguments, key: request.key, section: request.section,
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
  func begin(after earlier: [ResultsFeed]) throws(HistoryError) {
    try read()
    for feed in earlier { feed.isClosed = true }
  }

  func refresh() throws(HistoryError) {
    guard !isGone else { return }
    do throws(HistoryError) {
      if !isStale, try query.isCaptureCurrent() {
        if hasSeen { counts.avoided += 1 }
      } else {
        try read()
      }
      hasSeen = false
    } catch {
      if error.passesByItself { throw error }
      receiver?.failed(error, isFinal: false)
    }
  }

  private func read() throws(HistoryError) {
    counts.runs += 1
    isStale = true
    let (new, token) = try query.rows()
    isStale = false
    guard new != rows else {
      receiver?.unchanged(at: token)
      return
    }
    // What matters to the query may be something else now.
    scopes = ScopeCache()
    let update = ResultsUpdate(rows: new, token: token, key: query.key, section: query.section)
    if receiver?.received(update) == true { rows = new }
  }

  func storeChanged(_ store: TrackedStore) {
    isStale = true
    do throws(HistoryError) {
      query = try Self.query(request, store)
      scopes = ScopeCache()
    } catch {
      closed(error)
    }
  }

  func closed(_ error: HistoryError) {
    isClosed = true
    receiver?.failed(error, isFinal: true)
  }
}

/// How often the queries of a store ran, and how often they did not have to.
package final class FeedCounts {
  /// How often a query ran.
  package fileprivate(set) var runs = 0
  /// How often something was committed that a query does not read.
  package fileprivate(set) var avoided = 0
}
