import Glibc
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Test support")
struct TestSupportTests {
  @Test("a temporary directory goes with all that is in it, and follows no link")
  func directory() throws {
    let outside = try TemporaryDirectory()
    #expect(mkdir(outside.file("kept"), 0o755) == 0)
    let path: String
    do {
      let directory = try TemporaryDirectory()
      path = directory.path
      #expect(mkdir(directory.file("a"), 0o755) == 0)
      #expect(mkdir(directory.file("a/b"), 0o755) == 0)
      _ = try Connection.inMemory().run("VACUUM INTO ?1", .text(directory.file("a/b/c")))
      #expect(symlink(outside.path, directory.file("link")) == 0)
      #expect(access(directory.file("a/b/c"), F_OK) == 0)
    }
    #expect(access(path, F_OK) == -1)
    #expect(access(outside.file("kept"), F_OK) == 0)
  }

  @Test("a store has its journal mode", arguments: TemporaryStore.Journal.allCases)
  func journal(mode: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)", journal: mode)
    let connection = try store.connection()
    #expect(try connection.row("PRAGMA journal_mode") == [.text(mode.rawValue)])
    #expect(try connection.row("SELECT count(*) FROM t") == [0])
  }

  @Test("another process runs scripts, answers with the last row and tells its errors")
  func writer() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let writer = try WriterProcess(path: store.path)
    #expect(
      try writer.run("INSERT INTO t VALUES ('a;\"b\\ö\n'), (2); SELECT count(*) FROM t") == "2")
    #expect(try store.connection().row("SELECT x FROM t") == ["a;\"b\\ö\n"])
    #expect(try writer.run("") == "")
    let failure = #expect(throws: WriterProcess.Failure.self) { try writer.run("nonsense") }
    #expect(failure?.description == "SQLITE_ERROR: near \"nonsense\": syntax error")
    #expect(try writer.run("SELECT 1; SELECT 'last'") == "last")
  }

  @Test("its transaction stays open from script to script, and a kill rolls it back")
  func killed() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection()
    let writer = try WriterProcess(path: store.path)
    try writer.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    #expect(throws: SQLiteError.self) { try connection.execute("BEGIN IMMEDIATE") }
    writer.kill()
    #expect(writer.processID == nil)
    #expect(throws: (any Error).self) { try writer.run("SELECT 1") }
    try connection.execute("BEGIN IMMEDIATE; COMMIT")
    #expect(try connection.row("SELECT count(*) FROM t") == [0])
  }

  @Test("a script can be under way while the test goes on")
  func underWay() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection()
    let writer = try WriterProcess(path: store.path)
    try connection.execute("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    try writer.send("INSERT INTO t VALUES (2); SELECT count(*) FROM t")
    try connection.execute("COMMIT")
    #expect(try writer.answer() == "2")
  }

  @Test("a file that cannot be opened is told at the start")
  func cannotOpen() throws {
    let failure = #expect(throws: WriterProcess.Failure.self) {
      try WriterProcess(path: "/nowhere/at/all")
    }
    #expect(failure?.description == "SQLITE_CANTOPEN: unable to open database file")
  }

  @Test("each clock is its own, and both layers share one file")
  func clocks() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let (one, two) = (ClockVFS(now: 0), ClockVFS(now: 86_400_000))
    let (a, b) = (try store.connection(vfs: one.name), try store.connection(vfs: two.name))
    try a.execute("INSERT INTO t VALUES (date('now'))")
    try b.execute("INSERT INTO t VALUES (date('now'))")
    one.advance(milliseconds: -1)
    try a.execute("INSERT INTO t VALUES (date('now'))")
    #expect(
      try store.connection().rows("SELECT x FROM t")
        == [["1970-01-01"], ["1970-01-02"], ["1969-12-31"]])
  }

  @Test("the update hook is told until it is let go")
  func updateHook() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(x)")
    do {
      let hook = UpdateHook(connection)
      try connection.execute("INSERT INTO t VALUES (1); UPDATE t SET x = 2; DELETE FROM t WHERE 1")
      #expect(hook.calls == ["insert t", "update t", "delete t"])
    }
    try connection.execute("INSERT INTO t VALUES (1)")
  }
}
