import HistoryTestSupport
import SQLite
import Testing

@Suite("Whether somebody is writing")
struct WriterQuestionTests {
  private static let sql = "CREATE TABLE t(id INTEGER PRIMARY KEY, x)"
  private static let rollback: [TemporaryStore.Journal] = [.delete, .truncate, .persist]

  @Test(
    "a writer in another process is seen from his first change to his end", arguments: rollback)
  func otherProcess(journal: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(sql: Self.sql, journal: journal)
    let connection = try store.connection(access: .readOnly)
    let writer = try WriterProcess(path: store.path, busyTimeout: 0)
    try writer.run("PRAGMA journal_mode = \(journal.rawValue)")
    #expect(connection.hasWriter() == false)
    try writer.run("BEGIN; SELECT * FROM t")
    #expect(connection.hasWriter() == false)
    try writer.run("INSERT INTO t(x) VALUES (1)")
    #expect(connection.hasWriter() == true)
    try writer.run("COMMIT")
    #expect(connection.hasWriter() == false)
    try writer.run("BEGIN EXCLUSIVE")
    #expect(connection.hasWriter() == true)
    try writer.run("ROLLBACK")
    #expect(connection.hasWriter() == false)
  }

  @Test("a writer in the same process is seen")
  func sameProcess() throws {
    let store = try TemporaryStore(sql: Self.sql, journal: .delete)
    let (connection, writer) = (try store.connection(), try store.connection())
    _ = try connection.row("SELECT * FROM t")
    try writer.execute("BEGIN IMMEDIATE")
    #expect(connection.hasWriter() == true)
    try writer.execute("COMMIT")
    #expect(connection.hasWriter() == false)
  }

  @Test("a writer with a write-ahead log is not, since nobody is in his way")
  func log() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let connection = try store.connection(access: .readOnly)
    _ = try connection.row("SELECT * FROM t")
    let writer = try WriterProcess(path: store.path)
    try writer.run("BEGIN EXCLUSIVE; INSERT INTO t(x) VALUES (1)")
    #expect(connection.hasWriter() == false)
    try writer.run("COMMIT")
  }

  @Test("a closed connection cannot tell")
  func closed() throws {
    let connection = try TemporaryStore(sql: Self.sql).connection()
    try connection.close()
    #expect(connection.hasWriter() == nil)
  }
}
