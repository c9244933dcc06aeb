private import CSQLite

extension Connection {
  /// When a transaction takes its locks.
  ///
  /// The words are those of <https://www.sqlite.org/lang_transaction.html>.
  public enum TransactionMode: Sendable {
    /// When it first reads or writes.
    case deferred
    /// The write lock at once.
    case immediate
    /// The write lock at once, and with a rollback journal nobody else reads either.
    case exclusive

    fileprivate var begin: String {
      switch self {
      case .deferred: "BEGIN DEFERRED"
      case .immediate: "BEGIN IMMEDIATE"
      case .exclusive: "BEGIN EXCLUSIVE"
      }
    }
  }

  /// Does some work in one transaction.
  ///
  /// - Parameters:
  ///   - mode: When to take the locks.
  ///   - body: The work.
  /// - Returns: What `body` returned, once it is committed.
  /// - Throws: Whatever `body` throws, and ``SQLiteError`` if beginning or committing fails. All is
  ///   rolled back then.
  public func transaction<T>(_ mode: TransactionMode, _ body: () throws -> T) throws -> T {
    try control(mode.begin)
    do {
      let result = try body()
      try control("COMMIT")
      return result
    } catch {
      // A failed COMMIT may leave the transaction open; some errors have already ended it. What
      // a failing ROLLBACK would say is less than what is thrown here.
      if isInTransaction { try? control("ROLLBACK") }
      throw error
    }
  }

  /// Runs a statement that begins or ends a transaction, prepared the first time.
  private func control(_ sql: String) throws(SQLiteError) {
    let database = try openHandle()
    if controls[sql] == nil {
      var statement: OpaquePointer?
      guard
        sqlite3_prepare_v3(
          database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK
      else { throw SQLiteError(database, sql: sql) }
      controls[sql] = statement
    }
    guard let statement = controls[sql] else { return }
    defer { sqlite3_reset(statement) }
    guard sqlite3_step(statement) == SQLITE_DONE else { throw SQLiteError(database, sql: sql) }
  }
}
