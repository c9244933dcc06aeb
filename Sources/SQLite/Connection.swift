private import CSQLite

/// One connection to a database file.
///
/// Not Sendable: whoever holds it uses it from one place at a time, an actor for instance, so
/// SQLite's own locking is switched off. It can be sent to its owner once made.
///
/// Only ``init(creating:vfs:)`` creates a file; else a path at which there is nothing is an error.
public final class Connection {
  /// What a connection may do with the file.
  public enum Access: Sendable {
    /// Only reading.
    case readOnly
    /// Reading and writing; only reading if the file is write-protected, see
    /// ``Connection/isReadOnly``.
    case readWrite
  }

  /// The path as it was given; `:memory:` for a database in memory.
  public let path: String
  /// What ``storesUTF8`` found.
  var knownEncoding: Bool?

  /// SQLite's handle; nil once closed.
  ///
  /// For the test support, which reaches what is not wrapped.
  package private(set) var handle: OpaquePointer?

  /// BEGIN and COMMIT, prepared once: they come with every page that is read.
  var controls: [String: OpaquePointer] = [:]

  /// The rule that SQLite calls through a pointer, kept alive here.
  var authorizer: Authorizer?

  /// Opens a database file that exists.
  ///
  /// The path is always the path of a file, also when it looks like a URI or like SQLite's names
  /// for databases in memory. The corresponding SQLite function is `sqlite3_open_v2`, see
  /// <https://www.sqlite.org/c3ref/open.html>.
  ///
  /// - Parameters:
  ///   - path: Where the file is.
  ///   - access: What the connection may do.
  ///   - vfs: The name of the file system layer to use; nil for the usual one.
  /// - Throws: ``SQLiteError``, with `.cantOpen` if there is no such file. That a file is no
  ///   database shows only when it is first read.
  public convenience init(
    path: String, access: Access = .readWrite, vfs: String? = nil
  ) throws(SQLiteError) {
    let flag =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      }
    try self.init(filePath: path, flags: flag, vfs: vfs)
  }

  /// Opens a database file and creates it if there is none.
  ///
  /// For programs that make their own store; whoever means to follow one opens what exists.
  ///
  /// - Parameters:
  ///   - path: Where the file is or is to be.
  ///   - vfs: The name of the file system layer to use; nil for the usual one.
  /// - Throws: ``SQLiteError``, with `.cantOpen` if it can neither be opened nor created.
  public convenience init(creating path: String, vfs: String? = nil) throws(SQLiteError) {
    try self.init(filePath: path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: vfs)
  }

  private convenience init(filePath path: String, flags: Int32, vfs: String?) throws(SQLiteError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw SQLiteError(code: .cantOpen, message: "the path is empty or contains a NUL")
    }
    // ":memory:" and "file:…?…" mean something to SQLite; with a directory before it they do not.
    let isSpecial = path.hasPrefix(":") || path.hasPrefix("file:")
    try self.init(path: path, name: isSpecial ? "./" + path : path, flags: flags, vfs: vfs)
  }

  private init(path: String, name: String, flags: Int32, vfs: String?) throws(SQLiteError) {
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
    guard let handle else {
      throw SQLiteError(code: .noMemory, message: "out of memory")
    }
    guard code == SQLITE_OK else {
      let error = SQLiteError(handle)
      // A failed open hands back a handle all the same.
      sqlite3_close_v2(handle)
      throw error
    }
    self.path = path
    self.handle = handle
  }

  /// Opens an empty database in memory.
  ///
  /// - Returns: A connection, the only one to that database.
  /// - Throws: ``SQLiteError`` if memory ran out.
  public static func inMemory() throws(SQLiteError) -> Connection {
    try Connection(
      path: ":memory:", name: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
      vfs: nil)
  }

  deinit {
    // Statements keep their connection alive, so none is left by now.
    finalizeControls()
    if let handle { sqlite3_close_v2(handle) }
  }

  private func finalizeControls() {
    for statement in controls.values { sqlite3_finalize(statement) }
    controls = [:]
  }

  /// Closes the connection.
  ///
  /// Closing a closed connection does nothing. One that is let go without closing is closed too,
  /// but then nobody hears of an error. The corresponding SQLite function is `sqlite3_close`, see
  /// <https://www.sqlite.org/c3ref/close.html>.
  ///
  /// - Throws: ``SQLiteError``, with `.busy` if a ``Statement`` of it is still alive; the connection
  ///   then stays open.
  public func close() throws(SQLiteError) {
    guard let handle else { return }
    finalizeControls()
    guard sqlite3_close(handle) == SQLITE_OK else { throw SQLiteError(handle) }
    self.handle = nil
    authorizer = nil
  }

  /// The handle, for a call that cannot do without.
  func openHandle() throws(SQLiteError) -> OpaquePointer {
    guard let handle else { throw .closed }
    return handle
  }
}
