private import CSQLite
private import HistoryModel

extension Connection {
  /// Whether a transaction is open on this connection.
  ///
  /// The corresponding SQLite function is `sqlite3_get_autocommit`, see
  /// <https://www.sqlite.org/c3ref/get_autocommit.html>.
  public var isInTransaction: Bool {
    guard let handle else { return false }
    return sqlite3_get_autocommit(handle) == 0
  }

  /// Whether the database keeps text as UTF-8, so that its bytes can be taken as they are.
  ///
  /// Asked once: <https://www.sqlite.org/pragma.html#pragma_encoding> cannot change later.
  var storesUTF8: Bool {
    if let knownEncoding { return knownEncoding }
    // Where even that cannot be read the slower way is right too.
    guard let encoding = try? row("PRAGMA encoding")?.first?.text else { return false }
    knownEncoding = encoding == "UTF-8"
    return encoding == "UTF-8"
  }

  /// How many rows the last INSERT, UPDATE or DELETE changed itself, triggers not counted.
  ///
  /// The corresponding SQLite function is `sqlite3_changes64`, see
  /// <https://www.sqlite.org/c3ref/changes.html>.
  public var changes: Int64 {
    guard let handle else { return 0 }
    return sqlite3_changes64(handle)
  }

  /// How many rows have been changed since the connection was opened, by triggers too.
  ///
  /// The corresponding SQLite function is `sqlite3_total_changes64`, see
  /// <https://www.sqlite.org/c3ref/total_changes.html>.
  public var totalChanges: Int64 {
    guard let handle else { return 0 }
    return sqlite3_total_changes64(handle)
  }

  /// The collation by which a column of a table is compared where nothing else is asked for.
  ///
  /// The corresponding SQLite function is `sqlite3_table_column_metadata`, see
  /// <https://www.sqlite.org/c3ref/table_column_metadata.html>.
  ///
  /// - Parameters:
  ///   - column: The column's name.
  ///   - table: The table's name.
  /// - Returns: Its name, such as `BINARY`; nil when there is no such column.
  public func collation(of column: String, in table: String) -> String? {
    guard let handle else { return nil }
    var name: UnsafePointer<CChar>?
    let code = sqlite3_table_column_metadata(
      handle, "main", table, column, nil, &name, nil, nil, nil)
    guard code == SQLITE_OK, let name else { return nil }
    return String(cString: name)
  }

  /// The rowid of the last row inserted by this connection, triggers not counted; 0 if none was.
  ///
  /// The corresponding SQLite function is `sqlite3_last_insert_rowid`, see
  /// <https://www.sqlite.org/c3ref/last_insert_rowid.html>.
  public var lastInsertRowID: Int64 {
    guard let handle else { return 0 }
    return sqlite3_last_insert_rowid(handle)
  }

  /// Whether the file may only be read, because that was asked for or because it is protected.
  ///
  /// The corresponding SQLite function is `sqlite3_db_readonly`, see
  /// <https://www.sqlite.org/c3ref/db_readonly.html>.
  public var isReadOnly: Bool {
    guard let handle else { return false }
    return sqlite3_db_readonly(handle, "main") == 1
  }

  /// Whether the file at the path is no longer the one that was opened.
  ///
  /// True after the file was renamed, deleted or replaced; false for a database in memory. The
  /// corresponding SQLite function is `sqlite3_file_control` with `SQLITE_FCNTL_HAS_MOVED`, see
  /// <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>.
  public var hasMoved: Bool {
    guard let handle else { return false }
    var moved: Int32 = 0
    let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved)
    return code == SQLITE_OK && moved != 0
  }

  /// Whether a statement of this connection has begun and not come to its end.
  ///
  /// The corresponding SQLite functions are `sqlite3_next_stmt` and `sqlite3_stmt_busy`, see
  /// <https://www.sqlite.org/c3ref/stmt_busy.html>.
  package var hasBusyStatement: Bool {
    guard let handle else { return false }
    var statement = sqlite3_next_stmt(handle, nil)
    while let current = statement {
      if sqlite3_stmt_busy(current) != 0 { return true }
      statement = sqlite3_next_stmt(handle, current)
    }
    return false
  }
}
