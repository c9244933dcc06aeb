import HistoryModel
import SQLite

/// What shows that a store is whole.
enum StoreProof {
  /// Lets SQLite look at every page and every index.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `corrupt`.
  /// - Complexity: O(*n* log *n*) for *n* rows.
  static func checkIntegrity(_ connection: Connection, of path: String) throws {
    let found = try connection.row("PRAGMA integrity_check(1)")?[0].text ?? ""
    guard found == "ok" else { throw HistoryError.storeDamaged(path) }
  }

  /// Looks for rows that refer to rows which are not there.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and the tables.
  /// - Complexity: O(*n*) for *n* rows of tables with foreign keys.
  static func checkForeignKeys(_ connection: Connection) throws {
    let counts = try ForeignKeyCheck.counts(connection)
    guard counts.isEmpty else {
      throw HistoryError.foreignKeysBroken(counts.sorted { $0.key < $1.key })
    }
  }
}
