import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// A copy of a store in a file of its own, beside where it is to stand.
///
/// It is one moment of the store with everything that was committed, also what is still in the
/// store's log, made through SQLite; the store itself is only read.
struct StoreCopy {
  /// What the copy was found to have.
  struct Proof {
    /// How many rows each table has, here as in the original.
    var rows: [String: Int64] = [:]
    /// How many rows of each table refer to one that is not there.
    var brokenReferences: [String: Int] = [:]

    /// The rows of the application's tables, without those of the history.
    var applicationRows: [String: Int64] {
      rows.filter { !ChangeFilter.folded($0.key).hasPrefix("_history_") }
    }
  }

  /// The file.
  let path: String
  private let source: Connection

  /// What a database consists of, by what the files' names end with.
  static let parts = ["", "-wal", "-journal", "-shm"]

  /// Names a copy that is to be made; what an earlier attempt left there is removed.
  ///
  /// - Parameters:
  ///   - source: A connection to what is copied.
  ///   - path: Where to; only for copies that whoever holds the owner's lock makes.
  ///   - model: A file; whoever may use that may use the copy.
  /// - Throws: `HistoryError` when the file cannot be made.
  init(of source: Connection, at path: String, like model: String) throws(HistoryError) {
    self.source = source
    self.path = path
    try remove()
    try HistoryError.naming(path) { () throws(DurableFile.Failure) in
      try FileNames.create(path, like: model)
    }
  }

  /// Copies, and counts the rows of the original at the same moment.
  ///
  /// - Returns: How many rows each table of the original has.
  /// - Complexity: O(*n*) for *n* pages.
  func make() throws -> [String: Int64] {
    try source.transaction(.deferred) {
      // The first read begins the transaction: the copy and the numbers are of one moment.
      let rows = try Self.rows(source)
      try Backup.copy(from: source, to: path)
      let copy = try Connection(path: path)
      try Self.keepCookie(of: source, in: copy)
      try copy.close()
      return rows
    }
  }

  /// Gives a copy its original's cookie: copying moves it, which would look as if somebody had
  /// changed the schema.
  static func keepCookie(of source: Connection, in copy: Connection) throws {
    let schema = try source.row("PRAGMA schema_version")?[0].integer ?? 0
    try copy.execute("PRAGMA schema_version = \(schema)")
  }

  /// Proves that the copy is whole and has the rows of the original.
  ///
  /// - Parameter expected: How many rows each table has.
  /// - Returns: What was found.
  /// - Throws: `HistoryError` with reason `corrupt` or `inputOutput`.
  func prove(_ expected: [String: Int64]) throws -> Proof {
    let copy = try Connection(path: path)
    defer { try? copy.close() }
    let found = try copy.rows("PRAGMA integrity_check(10)").compactMap { $0[0].text }
    guard found == ["ok"] else {
      throw HistoryError.backupDamaged(source.path, IntegrityFindings(found, copy).sentence)
    }
    let rows = try Self.rows(copy)
    guard rows == expected else { throw HistoryError.copyDiffers(source.path) }
    return Proof(rows: rows, brokenReferences: try ForeignKeyCheck.counts(copy))
  }

  /// Whether the file is all there is of the copy, so that it may be renamed.
  var isSelfContained: Bool {
    !FileNames.isTaken(path + "-wal") && !FileNames.isTaken(path + "-journal")
  }

  /// Removes the copy.
  func remove() throws(HistoryError) {
    for part in Self.parts {
      try HistoryError.naming(path) { () throws(DurableFile.Failure) in
        try FileNames.remove(path + part)
      }
    }
  }

  private static func rows(_ connection: Connection) throws -> [String: Int64] {
    var counts: [String: Int64] = [:]
    for row in try connection.rows(
      """
      SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')
        AND lower(substr(name, 1, 7)) <> 'sqlite_'
      """)
    {
      guard let name = row[0].text else { continue }
      let count = try connection.row("SELECT count(*) FROM \(Identifier.quoted(name))")
      counts[name] = count?[0].integer
    }
    return counts
  }
}
