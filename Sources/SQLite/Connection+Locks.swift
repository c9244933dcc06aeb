private import CSQLite

extension Connection {
  /// Whether somebody is writing to the file by way of a rollback journal, in any process.
  ///
  /// A writer holds the RESERVED lock from his first change to the end of his transaction. Asking
  /// for it takes no lock, and so disturbs nobody: it is what SQLite itself asks to tell a journal
  /// in use from one that a crash left. With a write-ahead log writers do not take it. The
  /// corresponding SQLite functions are `sqlite3_file_control` with `SQLITE_FCNTL_FILE_POINTER` and
  /// the method `xCheckReservedLock`, see <https://www.sqlite.org/c3ref/io_methods.html>.
  ///
  /// - Returns: The answer; nil when it cannot be had.
  public func hasWriter() -> Bool? {
    guard let handle else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard
      sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
      let file, let check = file.pointee.pMethods?.pointee.xCheckReservedLock
    else { return nil }
    var isHeld: Int32 = 0
    guard check(file, &isHeld) == SQLITE_OK else { return nil }
    return isHeld != 0
  }
}
