public import HistoryModel
import SQLite

/// A query over tracked tables, which can be run again and knows which changes matter to it.
///
/// Confined to the owner of its store. When the schema changes it is prepared anew with its next
/// run, and what it says of itself may then be something else.
public final class ReadQuery {
  private let store: TrackedStore
  private let request: QueryRequest
  private let timeLimit: Duration?
  private var plan: QueryPlan

  /// Prepares a query.
  ///
  /// - Parameters:
  ///   - sql: One statement that only reads.
  ///   - arguments: The values of its parameters.
  ///   - key: The names of the columns by which rows are told apart; none where a row is its own
  ///     key.
  ///   - section: The name of the column by which rows are parted into sections.
  ///   - timeLimit: How long reading the rows may take; nil for as long as it does.
  ///   - store: The store, which the query keeps.
  /// - Throws: ``HistoryModel/HistoryError`` with code `usage` when it is not a single statement
  ///   that only reads, or has no column or parameter of a name that was given; `statementFailed`
  ///   when SQLite does not take it; `notTracked` when it reads what is not captured.
  /// - Complexity: O(*n*) for *n* objects in the schema.
  public init(
    _ sql: String, arguments: QueryArguments = QueryArguments(), key: [String] = [],
    section: String? = nil, timeLimit: Duration? = nil, on store: TrackedStore
  ) throws(HistoryError) {
    let request = QueryRequest(
      text: QueryText(sql), arguments: arguments, key: key, section: section)
    self.store = store
    self.request = request
    self.timeLimit = timeLimit
    plan = try HistoryError.translating(at: store.path) {
      try store.connection.transaction(.deferred) {
        try QueryPlan(request, on: store, StoreHeader(store.connection))
      }
    }
  }

  /// The names of its columns, no two the same: a repeated one has got a number, `id:1`.
  public var columns: [String] { plan.columns }

  /// The places of its key columns; none where a row is its own key.
  public var key: [Int] { plan.key }

  /// The place of the column by which rows are parted into sections.
  public var section: Int? { plan.section }

  /// The changes that can change what it gives.
  ///
  /// They may be more than those that do. Only while ``isCaptureCurrent()`` are they all.
  public var interest: ChangeInterest { plan.scope.interest }

  /// Whether everything that can change what it gives is in the history.
  ///
  /// It is not where capture of a table that it reads has drifted, where it reads a rowid that is
  /// no key, and from a change of the schema until the next run. Then only running it again after
  /// every commit tells.
  ///
  /// - Returns: Whether ``interest`` can be relied on.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  /// - Complexity: O(1).
  public func isCaptureCurrent() throws(HistoryError) -> Bool {
    guard !plan.scope.isBlind else { return false }
    return try store.schemaVersion() == plan.versions.schema
  }

  /// Runs the query.
  ///
  /// Rows and position are of one read transaction. Where the query does not say in which order
  /// rows come, and where rows are tied in its order, they come in the order of the key, by bytes.
  ///
  /// - Returns: The rows, and the position at which they are so.
  /// - Throws: ``HistoryModel/HistoryError`` with code `statementFailed` when it fails, and what
  ///   ``init(_:arguments:key:section:timeLimit:on:)`` throws where the schema has changed.
  public func rows() throws(HistoryError) -> (rows: ResultRows, token: HistoryToken) {
    try HistoryError.translating(at: store.path) {
      try store.connection.transaction(.deferred) {
        let header = try store.header()
        let token = try store.head(of: header)
        let versions = QueryPlan.Versions(
          schema: try store.schemaVersion(), capture: header.schemaVersion)
        if versions != plan.versions { plan = try QueryPlan(request, on: store, header) }
        let rows = try HistoryError.ofQuery { () throws(SQLiteError) in
          try store.connection.withTimeLimit(timeLimit) { () throws(SQLiteError) in
            var buffer = CellBuffer()
            while try plan.statement.step() {
              plan.statement.appendCells(0..<plan.columns.count, to: &buffer)
            }
            return ResultRows(buffer, columns: plan.columns)
          }
        }
        return (rows, token)
      }
    }
  }
}
