private import CSQLite

/// What keeps everybody else out of a database file for as long as it lives, whatever is in it.
///
/// Nothing is read for it, so a file that is damaged can be locked as well, and what a crash left
/// beside it stays as it is: neither is a journal rolled back nor a log taken over. With a
/// write-ahead log everybody who has the database open holds a lock on it, so that having this one
/// means being alone with it.
package final class FileExclusion {
  /// Why the file was not locked.
  package enum Refusal: Error {
    /// Others have it open, or are reading or writing.
    case taken
    /// It cannot be locked: it may not be written to, or cannot be opened.
    case impossible
  }

  private let connection: Connection

  /// Locks a file, without waiting.
  ///
  /// The corresponding SQLite functions are `sqlite3_file_control` with
  /// `SQLITE_FCNTL_FILE_POINTER` and the method `xLock`, see
  /// <https://www.sqlite.org/c3ref/io_methods.html>.
  ///
  /// - Parameter path: The file, which must exist.
  /// - Throws: ``Refusal``.
  package init(path: String) throws(Refusal) {
    guard let connection = try? Connection(path: path, access: .readWrite) else {
      throw .impossible
    }
    let code = connection.lockFile()
    guard code == SQLITE_OK else {
      connection.unlockFile()
      throw code & 0xFF == SQLITE_BUSY ? .taken : .impossible
    }
    self.connection = connection
  }

  deinit { connection.unlockFile() }
}

extension Connection {
  private var file: UnsafeMutablePointer<sqlite3_file>? {
    guard let handle else { return nil }
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK
    else { return nil }
    return file
  }

  /// Takes all locks of the file that there are; the connection has not read, so it has none.
  fileprivate func lockFile() -> Int32 {
    guard !isReadOnly, let file, let lock = file.pointee.pMethods?.pointee.xLock else {
      return SQLITE_CANTOPEN
    }
    for level in [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE] {
      let code = lock(file, level)
      guard code == SQLITE_OK else { return code }
    }
    return SQLITE_OK
  }

  fileprivate func unlockFile() {
    guard let file, let unlock = file.pointee.pMethods?.pointee.xUnlock else { return }
    _ = unlock(file, SQLITE_LOCK_NONE)
  }
}
