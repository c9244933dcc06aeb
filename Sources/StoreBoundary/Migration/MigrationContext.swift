public import HistoryModel
import SQLite

/// What the code of a ``MigrationStage`` may do: run SQL, as a part of the stage's transaction.
///
/// It is of no use once the step has returned.
public final class MigrationContext {
  private let sql: StageSQL
  private let report: (_ done: Int, _ total: Int?) -> Void
  private var isOver = false

  init(
    _ sql: StageSQL, report: @escaping (_ done: Int, _ total: Int?) -> Void
  ) {
    self.sql = sql
    self.report = report
  }

  func end() { isOver = true }

  /// Runs one statement.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters, in order.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  public func run(_ sql: String, _ arguments: StoredValue...) throws(HistoryError) {
    _ = try step(sql, arguments)
  }

  /// Runs one statement and returns its rows, all of them at once.
  ///
  /// - Parameters:
  ///   - sql: The statement.
  ///   - arguments: The values of its parameters, in order.
  /// - Returns: The rows, in the order in which SQLite gave them.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  public func rows(
    _ sql: String, _ arguments: StoredValue...
  ) throws(HistoryError) -> [[StoredValue]] {
    try step(sql, arguments)
  }

  /// Runs every statement of a script; rows are passed over.
  ///
  /// - Parameter script: SQL statements parted by semicolons.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message.
  public func execute(_ script: String) throws(HistoryError) {
    checkIsUsed()
    try sql.execute(script)
  }

  /// Reads rows in batches, in constant memory, while the body may change the table.
  ///
  /// - Parameters:
  ///   - query: A SELECT whose first column is an integer that tells its rows apart, such as
  ///     `SELECT id, title FROM tasks`. It must not be ordered or limited.
  ///   - size: How many rows a batch has at most.
  ///   - body: Does something with a batch.
  /// - Throws: ``/HistoryModel/HistoryError`` for the SQL, and whatever `body` throws.
  /// - Complexity: O(*n* log *n*) for *n* rows, where the first column is the table's key.
  public func forEachBatch(
    of query: String, size: Int = 500, _ body: ([[StoredValue]]) throws -> Void
  ) throws {
    precondition(size > 0, "A batch has at least one row.")
    checkIsUsed()
    let names = try sql.columns(of: query)
    guard let key = names.first else { return }
    let name = Identifier.quoted(key)
    var last = StoredValue.integer(.min)
    var isFirst = true
    while true {
      let comparison = isFirst ? ">=" : ">"
      let batch = try step(
        """
        SELECT * FROM (\(query)) WHERE \(name) \(comparison) ? ORDER BY \(name) LIMIT \(size)
        """, [last])
      guard let next = batch.last?.first else { return }
      guard case .integer = next else { throw HistoryError.batchWithoutKey }
      last = next
      isFirst = false
      try body(batch)
      if batch.count < size { return }
    }
  }

  /// Says how far the step is.
  ///
  /// - Parameters:
  ///   - done: How many of something are done.
  ///   - total: How many there are; nil where that is not known.
  public func advance(_ done: Int, of total: Int? = nil) { report(done, total) }

  private func step(
    _ text: String, _ arguments: [StoredValue]
  ) throws(HistoryError) -> [[StoredValue]] {
    checkIsUsed()
    return try sql.rows(text, arguments)
  }

  private func checkIsUsed() {
    precondition(!isOver, "a MigrationContext is of no use once its step has returned")
  }
}
