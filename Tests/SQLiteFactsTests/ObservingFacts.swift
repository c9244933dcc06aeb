import Glibc
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: noticing that others wrote")
struct ObservingFacts {
  let store: TemporaryStore
  let observer: Connection
  let writer: Connection
  let version: Statement

  init() throws {
    store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t(x) VALUES (1)")
    observer = try store.connection()
    writer = try store.connection()
    version = try observer.prepare("PRAGMA data_version")
  }

  /// Whether the observer's data version differs after some work.
  func moves(_ work: () throws -> Void) throws -> Bool {
    func read() throws -> Int64 {
      defer { version.reset() }
      #expect(try version.step())
      return version.int64(at: 0)
    }
    let before = try read()
    try work()
    return try read() != before
  }

  @Test(
    "fact 21: data_version moves on what another connection commits",
    arguments: ["INSERT INTO t(x) VALUES (2)", "CREATE TABLE u(x)", "VACUUM", "DELETE FROM t"])
  func movesOn(sql: String) throws {
    #expect(try moves { try writer.execute(sql) })
    #expect(try !moves {})
  }

  @Test("fact 21: data_version moves on a restore")
  func restore() throws {
    let source = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    #expect(try moves { try Backup.copy(from: source.connection(), into: writer) })
  }

  @Test("fact 21: data_version is a flag: several commits move it once")
  func flag() throws {
    let before = try #require(try observer.row("PRAGMA data_version")?[0].integer)
    for _ in 0..<5 { try writer.run("INSERT INTO t(x) VALUES (2)") }
    #expect(try observer.row("PRAGMA data_version") == [.integer(before + 1)])
  }

  @Test("fact 21: data_version stays on own commits and on rollbacks")
  func stays() throws {
    #expect(try !moves { try observer.run("INSERT INTO t(x) VALUES (2)") })
    #expect(try !moves { try writer.execute("BEGIN; INSERT INTO t(x) VALUES (2); ROLLBACK") })
  }

  @Test(
    "fact 21: of all checkpoints, only TRUNCATE moves data_version, though nothing changed",
    arguments: [("PASSIVE", false), ("FULL", false), ("RESTART", false), ("TRUNCATE", true)])
  func checkpoint(mode: String, isMoved: Bool) throws {
    try writer.run("INSERT INTO t(x) VALUES (2)")
    #expect(try moves { try writer.execute("PRAGMA wal_checkpoint(\(mode))") } == isMoved)
  }

  @Test(
    "fact 21: data_version moves in every journal mode", arguments: TemporaryStore.Journal.allCases)
  func everyMode(journal: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)", journal: journal)
    let (one, two) = (try store.connection(), try store.connection())
    let before = try one.row("PRAGMA data_version")
    try one.run("INSERT INTO t VALUES (1)")
    #expect(try one.row("PRAGMA data_version") == before)
    try two.run("INSERT INTO t VALUES (2)")
    #expect(try one.row("PRAGMA data_version") != before)
  }

  @Test("fact 21: the pager's data version is frozen while the connection is idle")
  func pager() throws {
    _ = try observer.row("SELECT * FROM t")
    let before = try #require(LibraryProbe.pagerDataVersion(of: observer))
    try writer.run("INSERT INTO t(x) VALUES (2)")
    #expect(LibraryProbe.pagerDataVersion(of: observer) == before)
    _ = try observer.row("SELECT * FROM t")
    #expect(LibraryProbe.pagerDataVersion(of: observer) != before)
  }

  @Test("fact 21: neither data version notices the file replaced by a rename")
  func replaced() throws {
    _ = try observer.row("SELECT * FROM t")
    let other = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    let pager = LibraryProbe.pagerDataVersion(of: observer)
    #expect(try !moves { rename(other.path, store.path) })
    _ = try observer.row("SELECT * FROM t")
    #expect(LibraryProbe.pagerDataVersion(of: observer) == pager)
    #expect(observer.hasMoved)
  }

  @Test("fact 40: after a rename a new connection reads the new file through the old log")
  func oldLog() throws {
    try writer.run("UPDATE t SET x = 'old'")
    let other = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, x); INSERT INTO t(x) VALUES ('new')")
    #expect(rename(other.path, store.path) == 0)
    let fresh = try store.connection()
    #expect(try fresh.row("SELECT x FROM t") == ["old"])
    #expect(writer.hasMoved)
    #expect(!fresh.hasMoved)
  }

  @Test("fact 23: a restore keeps the inode, fires no trigger and sets the sequence back")
  func restoreKeepsFile() throws {
    try writer.execute(
      """
      CREATE TABLE log(n INTEGER PRIMARY KEY, what);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES (NEW.x); END;
      INSERT INTO t(x) VALUES ('a');
      """)
    let copy = store.directory.file("copy")
    try Backup.copy(from: writer, to: copy)
    try writer.execute("INSERT INTO t(x) VALUES ('b'), ('c')")
    #expect(try observer.row("SELECT max(n) FROM log") == [3])
    let before = try inode()
    try Backup.copy(from: try Connection(path: copy), into: writer)
    #expect(try inode() == before)
    #expect(!observer.hasMoved)
    #expect(try observer.rows("SELECT what FROM log") == [["a"]])
    try writer.execute("INSERT INTO t(x) VALUES ('other')")
    #expect(try observer.row("SELECT n, what FROM log ORDER BY n DESC") == [2, "other"])
  }

  private func inode() throws -> UInt {
    var status = stat()
    try #require(stat(store.path, &status) == 0)
    return status.st_ino
  }

  @Test("fact 44: a copy has the same identity", arguments: ["backup", "VACUUM INTO"])
  func identity(way: String) throws {
    try writer.execute(
      "CREATE TABLE identity(uuid); INSERT INTO identity VALUES (hex(randomblob(16)))")
    let copy = store.directory.file("copy")
    if way == "backup" {
      try Backup.copy(from: writer, to: copy)
    } else {
      try writer.run("VACUUM INTO ?1", .text(copy))
    }
    let uuid = try Connection(path: copy).row("SELECT uuid FROM identity")
    #expect(try uuid == writer.row("SELECT uuid FROM identity"))
  }
}
