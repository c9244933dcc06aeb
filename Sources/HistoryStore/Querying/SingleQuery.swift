package import HistoryModel
package import SQLite

/// A query that is run once, on any database, whether or not the tables that it reads are tracked.
package struct SingleQuery: Sendable {
  private let sql: String
  private let arguments: QueryArguments

  /// Takes a query in, without looking at it.
  ///
  /// - Parameters:
  ///   - sql: One statement that only reads.
  ///   - arguments: The values of its parameters.
  package init(_ sql: String, arguments: QueryArguments = QueryArguments()) {
    self.sql = sql
    self.arguments = arguments
  }

  /// Runs it, inside a transaction of the caller's.
  ///
  /// Where the query does not say in which order rows come, and where rows are tied in its order,
  /// they come in the order of their values, by bytes.
  ///
  /// - Parameter connection: The connection.
  /// - Returns: The rows.
  /// - Throws: `HistoryError` with code `usage` when it is not a single statement that only reads,
  ///   or has no parameter of a name that was given; `statementFailed` when SQLite does not take it.
  package func rows(on connection: Connection) throws -> ResultRows {
    let text = QueryText(sql)
    let original = try QueryPlan.prepare(text, on: connection)
    let columns = ResultRows.distinct(QueryPlan.names(of: original))
    let statement = QueryPlan.ordered(
      text, original, by: Array(columns.indices), on: connection)
    try statement.bind(arguments.values(for: statement))
    return try HistoryError.ofQuery { () throws(SQLiteError) in
      var buffer = CellBuffer()
      while try statement.step() {
        statement.appendCells(0..<columns.count, to: &buffer)
      }
      return ResultRows(buffer, columns: columns)
    }
  }
}
