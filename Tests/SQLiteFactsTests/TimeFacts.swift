import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: time")
struct TimeFacts {
  let clock = ClockVFS(now: 1_764_486_000_123)
  let store: TemporaryStore
  let connection: Connection

  init() throws {
    store = try TemporaryStore(sql: "CREATE TABLE t(x); CREATE TABLE log(at)")
    connection = try store.connection(vfs: clock.name)
  }

  @Test(
    "fact 16: unixepoch('subsec') is NULL", .enabled(if: SQLiteLibrary.versionNumber < 3_042_000))
  func subsec() throws {
    #expect(try connection.row("SELECT unixepoch('subsec')") == [nil])
  }

  @Test("fact 45: what SQLite calls now comes from the file system layer")
  func now() throws {
    let now = "SELECT strftime('%Y-%m-%d %H:%M:%f', 'now')"
    #expect(try connection.row(now) == ["2025-11-30 07:00:00.123"])
    clock.advance(milliseconds: 1_500)
    #expect(try connection.row(now) == ["2025-11-30 07:00:01.623"])
    clock.now = 0
    #expect(try connection.row("SELECT julianday('now')") == [2_440_587.5])
    #expect(try store.connection().row(now) != connection.row(now))
  }

  @Test("fact 45: julianday('now') keeps the milliseconds")
  func milliseconds() throws {
    let row = try connection.row(
      "SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER)")
    #expect(row == [1_764_486_000_123])
  }

  @Test("fact 16: now is constant within one step, triggers and all rows included")
  func constant() throws {
    try connection.execute(
      """
      CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (julianday('now')); END;
      """)
    clock.tick = 60_000
    try connection.run("INSERT INTO t VALUES (1), (2), (3)")
    #expect(try connection.row("SELECT count(*), count(DISTINCT at) FROM log") == [3, 1])
    try connection.run("INSERT INTO t VALUES (4)")
    #expect(try connection.row("SELECT count(*), count(DISTINCT at) FROM log") == [4, 2])
  }

  @Test("fact 16: now moves between the steps of a query, unless it was computed once for all")
  func betweenSteps() throws {
    clock.tick = 60_000
    func distinct(_ expression: String) throws -> Int {
      try Set(connection.rows("SELECT \(expression) FROM (VALUES ('now'), ('now'))")).count
    }
    #expect(try distinct("julianday(column1)") == 2)
    #expect(try distinct("julianday('now')") == 1)
  }
}
