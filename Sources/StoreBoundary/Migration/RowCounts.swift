import HistoryModel
import SQLite

/// How many rows a table had before a migration and has after it.
public struct RowCount: Sendable, Hashable {
  /// The table's name.
  public let table: String
  /// How many it had; nil where it was not there.
  public let before: Int64?
  /// How many it has; nil where it is not there.
  public let after: Int64?

  /// Puts counts of two moments together.
  static func compare(_ before: [String: Int64], _ after: [String: Int64]) -> [RowCount] {
    Set(before.keys).union(after.keys).sorted().map {
      RowCount(table: $0, before: before[$0], after: after[$0])
    }
  }

  /// Counts the rows of the application's tables.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  static func count(_ connection: Connection) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for row in try connection.rows(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
        AND lower(substr(name, 1, 9)) <> '_history_' AND lower(substr(name, 1, 7)) <> 'sqlite_'
      """)
    {
      guard let table = row[0].text else { continue }
      counts[table] = try connection.row("SELECT count(*) FROM \(Identifier.quoted(table))")?[0]
        .integer
    }
    return counts
  }
}
