public import SQLite

/// A database file in a directory of its own, deleted with it.
public final class TemporaryStore: Sendable {
  /// How transactions are made safe.
  ///
  /// The words are those of <https://www.sqlite.org/pragma.html#pragma_journal_mode>.
  public enum Journal: String, Sendable, CaseIterable {
    /// A write-ahead log.
    case wal
    /// A rollback journal, deleted by the commit.
    case delete
    /// A rollback journal, cut to nothing by the commit.
    case truncate
    /// A rollback journal whose head the commit overwrites.
    case persist
  }

  /// Where the file is, and whatever else a test puts there.
  public let directory: TemporaryDirectory
  /// The path of the file.
  public let path: String
  /// How transactions are made safe.
  public let journal: Journal

  /// Creates a database file.
  ///
  /// - Parameters:
  ///   - sql: A script that fills it.
  ///   - journal: How transactions are made safe.
  ///   - isVolatile: Whether it may be where nothing waits for a disk.
  /// - Throws: `SQLiteError` if the script fails.
  public init(sql: String = "", journal: Journal = .wal, isVolatile: Bool = false) throws {
    directory = try TemporaryDirectory(isVolatile: isVolatile)
    path = directory.file("store.sqlite")
    self.journal = journal
    let connection = try Connection(creating: path)
    // Even an empty database gets a header, so that it is a database to everyone.
    try connection.execute("PRAGMA journal_mode = \(journal.rawValue); PRAGMA user_version = 0")
    try connection.execute(sql)
    try connection.close()
  }

  /// Opens a connection to the file.
  ///
  /// - Parameters:
  ///   - access: What it may do.
  ///   - vfs: The file system layer; nil for the usual one.
  /// - Returns: The connection, in the store's journal mode, without a busy timeout.
  /// - Throws: `SQLiteError` if it cannot be opened.
  public func connection(
    access: Connection.Access = .readWrite, vfs: String? = nil
  ) throws(SQLiteError) -> Connection {
    let connection = try Connection(path: path, access: access, vfs: vfs)
    // The file remembers only whether it has a write-ahead log. Saying it reads the file, which
    // somebody may have locked for a moment.
    if journal == .truncate || journal == .persist {
      connection.setBusyTimeout(milliseconds: 20_000)
      try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
      connection.setBusyTimeout(milliseconds: 0)
    }
    return connection
  }
}
