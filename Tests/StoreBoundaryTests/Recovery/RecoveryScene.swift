import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import StoreBoundary
import Testing

/// A tracked store, a backup that was made of it, and what was written after that.
struct RecoveryScene {
  let directory: TemporaryDirectory
  var path: String { directory.file("app.db") }
  var backup: String { directory.file("backup.db") }
  var recovery: StoreRecovery { StoreRecovery(of: path, from: backup, as: "test") }

  init(journal: TemporaryStore.Journal = .wal, isTracked: Bool = true) throws {
    directory = try TemporaryDirectory()
    let connection = try Connection(creating: path)
    try connection.execute(
      "PRAGMA journal_mode = \(journal.rawValue); CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
    if isTracked {
      try Tracker(TrackedStore(path: path, access: .readWrite)).track(Tracker.Request())
    }
    try connection.execute("INSERT INTO t VALUES (1, 'one')")
    try Backup.copy(from: connection, to: backup)
    try connection.execute("INSERT INTO t VALUES (2, 'two')")
    try connection.close()
  }

  /// Puts the store into the state that a process leaves that dies: its last commit is in its log.
  func leaveLog() throws {
    let writer = try WriterProcess(path: path)
    try writer.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (3, 'three')")
    writer.kill()
  }

  /// The rows of a store.
  func ids(_ path: String) throws -> [Int64] {
    let connection = try Connection(path: path)
    let rows = try connection.rows("SELECT id FROM t ORDER BY id")
    try connection.close()
    return rows.compactMap { $0[0].integer }
  }

  /// The store's files as they are named, but for locks.
  var names: [String] {
    get throws { try FileNames.list(directory.path).filter { !$0.hasSuffix("-owner") } }
  }
}
