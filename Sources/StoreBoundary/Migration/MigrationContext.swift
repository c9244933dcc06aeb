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
  /// Each row is given as it is when its batch is read. Rows that the body puts behind the last one
  /// that there was at the beginning are not given, so it always comes to an end.
  ///
  /// - Parameters:
  ///   - query: A SELECT whose first column is an integer that tells its rows apart, such as
  ///     `SELECT id, title FROM tasks`. It must not be ordered or limited.
  ///   - size: How many rows a batch has at most.
  ///   - body: Does something with a batch.
  /// - Throws: ``/HistoryModel/HistoryError`` for the SQL, and with code `usage` when the first column does not tell
  ///   the rows apart; whatever `body` throws.
  /// - Complexity: O(*n* log *n*) for *n* rows, where the first column is the table's key.
  public func forEachBatch(
    of query: String, size: Int = 500, _ body: ([[StoredValue]]) throws -> Void
  ) throws {
    precondition(size > 0, "A batch has at least one row.")
    checkIsUsed()
    let count = try sql.columnCount(of: query)
    guard count > 0 else { return }
    // Names of our own, since SQLite takes one in quotes that it does not find for a text. The query
    // may end in a comment.
    let columns = (0..<count).map { "c\($0)" }.joined(separator: ", ")
    let source = "WITH source(\(columns)) AS (\(query)\n)"
    // No comparison would ever find these.
    guard try step("\(source) SELECT 1 FROM source WHERE c0 IS NULL LIMIT 1", []).isEmpty else {
      throw HistoryError.batchWithoutKey
    }
    let last = try step("\(source) SELECT max(c0) FROM source", []).first?.first ?? .null
    guard last != .null else { return }
    guard case .integer = last else { throw HistoryError.batchWithoutKey }
    var next = StoredValue.integer(.min)
    while true {
      // One more than is given, to see that the next batch begins with another key.
      let rows = try step(
        """
        \(source) SELECT * FROM source WHERE c0 BETWEEN ? AND ? ORDER BY c0 LIMIT \(size &+ 1)
        """, [next, last])
      let keys = try Self.keys(of: rows)
      guard !keys.isEmpty else { return }
      try body(Array(rows.prefix(size)))
      guard keys.count > size else { return }
      next = .integer(keys[size - 1] + 1)
    }
  }

  /// The keys of rows in their order, each greater than the one before.
  private static func keys(of rows: [[StoredValue]]) throws(HistoryError) -> [Int64] {
    var keys: [Int64] = []
    for row in rows {
      guard case .integer(let key)? = row.first, keys.last.map({ $0 < key }) ?? true else {
        throw .batchWithoutKey
      }
      keys.append(key)
    }
    return keys
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
