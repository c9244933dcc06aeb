import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Backup")
struct BackupTests {
  static let sql = """
    CREATE TABLE t(x);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO t SELECT i FROM n;
    """

  @Test("a copy has everything, and its file is created")
  func copies() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let path = store.directory.file("copy")
    try Backup.copy(from: try store.connection(), to: path)
    #expect(try Connection(path: path).row("SELECT sum(x) FROM t") == [12_502_500])
  }

  @Test("page by page, the progress counts down to nothing")
  func progress() throws {
    let store = try TemporaryStore(sql: Self.sql)
    var steps: [Int] = []
    try Backup.copy(
      from: try store.connection(), to: store.directory.file("copy"), pagesPerStep: 4
    ) { remaining, total in
      steps.append(remaining)
      #expect(total > 10)
    }
    #expect(steps.count > 3)
    #expect(steps == steps.sorted(by: >))
    #expect(steps.last == 0)
  }

  @Test("a destination that is locked fails and stays as it was")
  func locked() throws {
    let source = try TemporaryStore(sql: Self.sql)
    let target = try TemporaryStore(sql: "CREATE TABLE mine(x)")
    let (holder, destination) = (try target.connection(), try target.connection())
    try holder.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) {
      try Backup.copy(from: try source.connection(), into: destination)
    }
    #expect(error?.code.primary == .busy)
    try holder.execute("ROLLBACK")
    #expect(try destination.row("SELECT name FROM sqlite_master") == ["mine"])
  }

  @Test("a place that cannot be written fails")
  func unwritable() throws {
    let store = try TemporaryStore(sql: Self.sql)
    let error = #expect(throws: SQLiteError.self) {
      try Backup.copy(from: try store.connection(), to: "/nowhere/at/all")
    }
    #expect(error?.code.primary == .cantOpen)
  }
}
