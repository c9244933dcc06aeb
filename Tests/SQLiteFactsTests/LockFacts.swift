import Glibc
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: locks, logs and the library")
struct LockFacts {
  static let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, x)"

  func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  @Test("fact 22: closing any descriptor of the file drops SQLite's locks on it")
  func lostLocks() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let connection = try store.connection()
    let other = try WriterProcess(path: store.path, busyTimeout: 0)
    try connection.execute("BEGIN IMMEDIATE")
    #expect(throws: WriterProcess.Failure.self) { try other.run("BEGIN IMMEDIATE") }
    close(open(store.path, O_RDONLY))
    try other.run("BEGIN IMMEDIATE")
    try other.run("ROLLBACK")
  }

  @Test("fact 22: looking at the file's status is safe")
  func statIsSafe() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let connection = try store.connection()
    let other = try WriterProcess(path: store.path, busyTimeout: 0)
    try connection.execute("BEGIN IMMEDIATE")
    #expect(size(store.path) > 0)
    #expect(throws: WriterProcess.Failure.self) { try other.run("BEGIN IMMEDIATE") }
  }

  @Test("fact 24: writing after reading an old snapshot is BUSY_SNAPSHOT, IMMEDIATE is not")
  func busySnapshot() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let (one, two) = (try store.connection(), try store.connection())
    try one.execute("BEGIN")
    _ = try one.row("SELECT count(*) FROM t")
    try two.run("INSERT INTO t(x) VALUES (1)")
    let error = #expect(throws: SQLiteError.self) { try one.run("INSERT INTO t(x) VALUES (2)") }
    #expect(error?.code == .busySnapshot)
    try one.execute("ROLLBACK; BEGIN IMMEDIATE; SELECT count(*) FROM t")
    try one.execute("INSERT INTO t(x) VALUES (2); COMMIT")
  }

  @Test("fact 24: a look that meets an exclusive writer is busy, and works afterwards")
  func busyLook() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let (reader, writer) = (try store.connection(), try store.connection())
    try writer.execute("BEGIN EXCLUSIVE")
    let error = #expect(throws: SQLiteError.self) { try reader.row("SELECT * FROM t") }
    #expect(error?.code == .busy)
    try writer.execute("COMMIT")
    #expect(try reader.row("SELECT count(*) FROM t") == [0])
  }

  @Test("fact 25: the last connection to close removes the log, unless told otherwise")
  func lastClose() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let (one, two) = (try store.connection(), try store.connection())
    try one.run("INSERT INTO t(x) VALUES (1)")
    _ = try two.row("SELECT * FROM t")
    try one.close()
    #expect(exists(store.path + "-wal") && exists(store.path + "-shm"))
    try two.close()
    #expect(!exists(store.path + "-wal") && !exists(store.path + "-shm"))
    let three = try store.connection()
    LibraryProbe.persistWriteAheadLog(of: three)
    try three.run("INSERT INTO t(x) VALUES (1)")
    try three.close()
    #expect(exists(store.path + "-wal"))
  }

  @Test(
    "fact 26: who may only read needs the log to be there, or may not open",
    arguments: ["", "?mode=ro"])
  func readOnlyProcess(mode: String) throws {
    let store = try TemporaryStore(sql: Self.sql + "; INSERT INTO t(x) VALUES ('seen')")
    defer { chmod(store.directory.path, 0o755) }
    // The file may be read by everyone, but nothing may be made beside it.
    chmod(store.path, 0o444)
    chmod(store.directory.path, 0o555)
    let stranger = try WriterProcess(path: "file:\(store.path)\(mode)", isNobody: true)
    let failure = #expect(throws: WriterProcess.Failure.self) {
      try stranger.run("SELECT x FROM t")
    }
    #expect(
      failure?.description == "SQLITE_READONLY_DIRECTORY: attempt to write a readonly database")
    // Once the owner has it open, the log is there.
    chmod(store.path, 0o644)
    chmod(store.directory.path, 0o755)
    let owner = try store.connection()
    _ = try owner.row("SELECT * FROM t")
    chmod(store.directory.path, 0o555)
    #expect(try stranger.run("SELECT x FROM t") == "seen")
  }

  @Test("fact 26: immutable=1 shows rows as they were")
  func immutable() throws {
    let store = try TemporaryStore(sql: Self.sql + "; INSERT INTO t(x) VALUES ('stale')")
    let connection = try store.connection()
    try connection.run("UPDATE t SET x = 'fresh'")
    let reader = try WriterProcess(path: "file:\(store.path)?immutable=1")
    #expect(try reader.run("SELECT x FROM t") == "stale")
    #expect(try WriterProcess(path: store.path).run("SELECT x FROM t") == "fresh")
  }

  @Test("fact 27: a read transaction left open lets the log grow without limit")
  func pinnedLog() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let (reader, writer) = (try store.connection(), try store.connection())
    func growth() throws -> Int {
      let before = size(store.path + "-wal")
      for _ in 0..<20 {
        try writer.execute(
          "INSERT INTO t(x) VALUES (randomblob(9000)); PRAGMA wal_checkpoint(PASSIVE)")
      }
      return size(store.path + "-wal") - before
    }
    _ = try growth()
    // One transaction may be a little longer than any before it.
    let much = 20 * 9_000
    #expect(try growth() < much / 4)
    try reader.execute("BEGIN; SELECT * FROM t")
    #expect(try growth() > much)
    #expect(try growth() > much)
    try reader.execute("COMMIT")
    #expect(try growth() < much / 4)
  }

  @Test("fact 54: asking for a writer is no lock, and a journal that a crash left has none")
  func writerQuestion() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let asking = try store.connection(access: .readOnly)
    let other = try WriterProcess(path: store.path, busyTimeout: 0)
    try other.run("BEGIN IMMEDIATE; INSERT INTO t(x) VALUES (1)")
    #expect(asking.hasWriter() == true)
    try other.run("COMMIT")
    #expect(asking.hasWriter() == false)
    try other.run("BEGIN EXCLUSIVE; INSERT INTO t(x) VALUES (2)")
    other.kill()
    #expect(exists(store.path + "-journal"))
    #expect(asking.hasWriter() == false)
  }

  @Test("fact 55: a commit wants the file without readers, before it has written to it")
  func readerInTheWay() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let reader = try store.connection()
    let other = try WriterProcess(path: store.path, busyTimeout: 0)
    try other.run("BEGIN IMMEDIATE; INSERT INTO t(x) VALUES (1)")
    try reader.execute("BEGIN; SELECT * FROM t")
    let failure = #expect(throws: WriterProcess.Failure.self) { try other.run("COMMIT") }
    #expect(failure?.description.hasPrefix("SQLITE_BUSY") == true)
    try reader.execute("COMMIT")
    try other.run("COMMIT")
  }

  @Test("fact 56: a checkpoint writes to the file, and a reader at its end keeps the log whole")
  func readerAtCheckpoint() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let (reader, writer) = (try store.connection(), try store.connection())
    try writer.run("INSERT INTO t(x) VALUES (1)")
    try reader.execute("BEGIN; SELECT * FROM t")
    // All of the log is in the file by now, and yet it is busy.
    let row = try writer.row("PRAGMA wal_checkpoint(TRUNCATE)")
    #expect(row?[0] == 1 && row?[1] == row?[2])
    try reader.execute("COMMIT")
    #expect(try writer.row("PRAGMA wal_checkpoint(TRUNCATE)") == [0, 0, 0])
  }

  @Test(
    "fact 57: reading beside a journal that persists touches it as root, and does not write it",
    .enabled(if: geteuid() == 0))
  func touchedJournal() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .persist)
    let (reader, writer) = (try store.connection(), try store.connection())
    try writer.run("INSERT INTO t(x) VALUES (1)")
    func times() -> (changed: timespec, written: timespec) {
      var status = stat()
      stat(store.path + "-journal", &status)
      return (status.st_ctim, status.st_mtim)
    }
    let before = times()
    // The kernel's times have steps of some milliseconds.
    var after = before
    while (after.changed.tv_sec, after.changed.tv_nsec)
      == (before.changed.tv_sec, before.changed.tv_nsec)
    {
      _ = try reader.row("SELECT * FROM t")
      after = times()
    }
    #expect(after.written.tv_sec == before.written.tv_sec)
    #expect(after.written.tv_nsec == before.written.tv_nsec)
  }

  @Test("fact 58: what a crash left in a journal has to be undone by who may write")
  func hotJournal() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let reader = try store.connection(access: .readOnly)
    let other = try WriterProcess(path: store.path)
    // So small a cache has to write to the file before the commit.
    try other.run("PRAGMA cache_size = 1; BEGIN")
    for _ in 0..<20 { try other.run("INSERT INTO t(x) VALUES (randomblob(9000))") }
    other.kill()
    let error = #expect(throws: SQLiteError.self) { try reader.row("SELECT * FROM t") }
    #expect(error?.code == .readOnlyRollback)
    #expect(try store.connection().row("SELECT count(*) FROM t") == [0])
    #expect(try reader.row("SELECT count(*) FROM t") == [0])
  }

  @Test(
    "fact 29: Debian's library has these options, and lacks those",
    .enabled(if: SQLiteLibrary.version == "3.40.1"))
  func options() throws {
    for option in [
      "SECURE_DELETE", "ENABLE_PREUPDATE_HOOK", "ENABLE_SESSION", "ENABLE_COLUMN_METADATA",
      "ENABLE_UNLOCK_NOTIFY",
    ] {
      #expect(SQLiteLibrary.compileOptionUsed(option), "\(option)")
    }
    #expect(!SQLiteLibrary.compileOptionUsed("ENABLE_SNAPSHOT"))
    let connection = try Connection.inMemory()
    #expect(try connection.row("PRAGMA secure_delete") == [1])
    #expect(throws: SQLiteError.self) { try connection.row("SELECT jsonb('1')") }
  }

  @Test("fact 30: a plain INTEGER PRIMARY KEY starts again at 1 once the table is empty")
  func keyReuse() throws {
    let connection = try Connection.inMemory()
    try connection.execute("\(Self.sql); INSERT INTO t(x) VALUES (1), (2), (3)")
    try connection.execute("DELETE FROM t WHERE id < 3; INSERT INTO t(x) VALUES (4)")
    #expect(connection.lastInsertRowID == 4)
    try connection.execute("DELETE FROM t; INSERT INTO t(x) VALUES (5)")
    #expect(connection.lastInsertRowID == 1)
  }
}
