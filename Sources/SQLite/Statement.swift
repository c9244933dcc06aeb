private import CSQLite

/// A prepared statement.
///
/// It keeps its connection alive and is finalized once, when the last reference to it goes. It
/// never stays busy after an error.
public final class Statement {
  /// Its own text, without the space around it.
  public let sql: String

  let handle: OpaquePointer
  let connection: Connection

  /// Takes over a handle.
  init(_ handle: OpaquePointer, sql: String, of connection: Connection) {
    self.handle = handle
    self.sql = sql
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Advances to the next row.
  ///
  /// After the last row it is reset, and the next step starts again. The corresponding SQLite function is
  /// `sqlite3_step`, see <https://www.sqlite.org/c3ref/step.html>.
  ///
  /// - Returns: Whether there is a row to read.
  /// - Throws: ``SQLiteError`` if the statement fails; it is reset then, too.
  public func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      // So that parameters can be bound at once.
      sqlite3_reset(handle)
      return false
    default:
      let error = failure()
      sqlite3_reset(handle)
      throw error
    }
  }

  /// Ends the current run, so that the statement can be run again; bound values stay.
  ///
  /// The corresponding SQLite function is `sqlite3_reset`, see
  /// <https://www.sqlite.org/c3ref/reset.html>.
  public func reset() {
    // It repeats the error of the last step, which was thrown already.
    sqlite3_reset(handle)
  }

  /// Steps to the end and resets, also when it fails.
  ///
  /// - Throws: ``SQLiteError`` if the statement fails.
  public func run() throws(SQLiteError) {
    // The last step resets, whether it ends or fails.
    while try step() {}
  }

  /// What the last call on this statement reported.
  func failure() -> SQLiteError {
    guard let owner = sqlite3_db_handle(handle) else { return .closed }
    return SQLiteError(owner, sql: sql)
  }
}

extension Statement {
  /// How many columns its rows have; 0 if it returns none.
  ///
  /// For `SELECT *` it may differ after the schema has changed. The corresponding SQLite function
  /// is `sqlite3_column_count`, see <https://www.sqlite.org/c3ref/column_count.html>.
  public var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column.
  ///
  /// The corresponding SQLite function is `sqlite3_column_name`, see
  /// <https://www.sqlite.org/c3ref/column_name.html>.
  ///
  /// - Parameter index: The column, from 0.
  /// - Returns: The name after AS, or what SQLite made up; empty if there is no such column.
  public func columnName(_ index: Int) -> String {
    sqlite3_column_name(handle, Int32(index)).map { String(cString: $0) } ?? ""
  }

  /// Whether it writes nothing to the database file by itself.
  ///
  /// The corresponding SQLite function is `sqlite3_stmt_readonly`, with its exceptions, see
  /// <https://www.sqlite.org/c3ref/stmt_readonly.html>.
  public var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  /// Whether it is an EXPLAIN or EXPLAIN QUERY PLAN.
  ///
  /// The corresponding SQLite function is `sqlite3_stmt_isexplain`, see
  /// <https://www.sqlite.org/c3ref/stmt_isexplain.html>.
  public var isExplain: Bool { sqlite3_stmt_isexplain(handle) != 0 }

  /// Whether it has begun and neither come to its end nor been reset.
  ///
  /// The corresponding SQLite function is `sqlite3_stmt_busy`, see
  /// <https://www.sqlite.org/c3ref/stmt_busy.html>.
  public var isBusy: Bool { sqlite3_stmt_busy(handle) != 0 }
}
