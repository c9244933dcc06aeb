private import CSQLite
public import SQLite

/// Things of the C library that the program does not use, but whose behaviour it relies on.
public enum LibraryProbe {
  /// Whether opening a file that does not exist hands back a handle all the same.
  ///
  /// - Parameter path: A path at which there is nothing.
  /// - Returns: Whether there was a handle, which has been closed.
  public static func failedOpenHandsBackHandle(path: String) -> Bool {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil)
    defer { sqlite3_close_v2(handle) }
    return code == SQLITE_CANTOPEN && handle != nil
  }

  /// The data version as the pager knows it, without a look at the file.
  ///
  /// - Parameter connection: Whose pager to ask.
  /// - Returns: The number; nil if SQLite refused.
  public static func pagerDataVersion(of connection: Connection) -> UInt32? {
    var version: UInt32 = 0
    let code = sqlite3_file_control(
      connection.handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return code == SQLITE_OK ? version : nil
  }

  /// Has a connection leave the write-ahead log behind when it closes as the last.
  ///
  /// - Parameter connection: Which connection.
  public static func persistWriteAheadLog(of connection: Connection) {
    var isOn: Int32 = 1
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
  }
}
