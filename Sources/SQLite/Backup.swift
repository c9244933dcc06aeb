private import CSQLite

/// Copies of a whole database, made page by page while others use it.
///
/// The only safe way: closing any other descriptor of the file would drop SQLite's locks on it.
public enum Backup {
  /// Copies a database into a file, which is created if there is none.
  ///
  /// The corresponding SQLite functions are `sqlite3_backup_init` and its kin, see
  /// <https://www.sqlite.org/c3ref/backup_finish.html>.
  ///
  /// - Parameters:
  ///   - source: What to copy.
  ///   - path: Where to; a database that is there is replaced by the copy.
  ///   - pagesPerStep: How many pages to copy before `progress` is told and locks are let go for
  ///     a moment; -1 for all at once.
  ///   - progress: Told after each step how many pages are left, and of how many.
  /// - Throws: ``SQLiteError``; the destination is then as it was before, or empty.
  public static func copy(
    from source: Connection, to path: String, pagesPerStep: Int32 = -1,
    progress: (_ remaining: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(SQLiteError) {
    let destination = try Connection(creating: path)
    try copy(from: source, into: destination, pagesPerStep: pagesPerStep, progress: progress)
    try destination.close()
  }

  /// Copies a database into the one that a connection has open.
  ///
  /// The file stays the same file, and no trigger fires.
  ///
  /// - Parameters:
  ///   - source: What to copy.
  ///   - destination: What to overwrite.
  ///   - pagesPerStep: How many pages to copy between two calls of `progress`; -1 for all.
  ///   - mustStop: Asked after each step.
  ///   - progress: Told after each step how many pages are left, and of how many.
  /// - Throws: ``SQLiteError``, with the code `.interrupt` when it was stopped; the destination is
  ///   then as it was before.
  public static func copy(
    from source: Connection, into destination: Connection, pagesPerStep: Int32 = -1,
    stopping mustStop: () -> Bool = { false },
    progress: (_ remaining: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(SQLiteError) {
    let target = try destination.openHandle()
    guard let backup = sqlite3_backup_init(target, "main", try source.openHandle(), "main") else {
      throw SQLiteError(target)
    }
    var code = SQLITE_OK
    while code == SQLITE_OK {
      code = sqlite3_backup_step(backup, pagesPerStep)
      progress(
        Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
      if code == SQLITE_OK, mustStop() { code = SQLITE_INTERRUPT }
    }
    let end = sqlite3_backup_finish(backup)
    if code == SQLITE_DONE, end == SQLITE_OK { return }
    let failed = ResultCode(rawValue: code == SQLITE_DONE ? end : code)
    throw SQLiteError(code: failed, message: String(cString: sqlite3_errstr(failed.rawValue)))
  }
}
