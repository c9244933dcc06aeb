import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("Columns that were renamed or dropped")
struct RenamedColumnTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE UNIQUE INDEX i ON t(lower(a));
    """

  @Test("until renewal a line shows the old name and no other")
  func oldName() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try store.track()
    try store.connection().execute(
      "INSERT INTO t VALUES (1, 2, 3); ALTER TABLE t RENAME COLUMN a TO c")
    #expect(try store.recorded().lines == ["insert t[1] id=1 a=2 b=3"])
  }

  @Test("with keys an expression index holds its own columns only")
  func dropUnderKeys() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track(capture: .keys)
    let connection = try store.connection()
    try connection.execute("ALTER TABLE t DROP COLUMN b")
    try connection.execute("INSERT INTO t VALUES (1, 'x'); REPLACE INTO t VALUES (2, 'X')")
    #expect(try store.recorded().lines == ["insert t[1]", "delete t[1]", "insert t[2]"])
  }

  @Test("a key to its own table that was added is a column more, and no gap")
  func addedReference() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
    try store.track()
    try store.connection().execute(
      "ALTER TABLE t ADD COLUMN p INT REFERENCES t(id) ON UPDATE CASCADE")
    #expect(
      try store.opened().tables(isThorough: true).flatMap(\.notices)
        == [CaptureNotice(table: "t", .schema(.columnsAdded(["p"])))])
  }

  @Test("a rename under an expression index is no gap", arguments: ["a", "b"])
  func expressionIndex(column: String) throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track()
    try store.connection().execute("ALTER TABLE t RENAME COLUMN \(column) TO c")
    #expect(
      try store.opened().tables(isThorough: true).flatMap(\.notices)
        == [CaptureNotice(table: "t", .schema(.columnsRenamed(["c"])))])
    let connection = try store.connection()
    _ = try Tracker(store.opened()).renew()
    let head = try store.opened().state().head
    try connection.execute("INSERT INTO t VALUES (1, 'x', 1); REPLACE INTO t VALUES (2, 'X', 'x')")
    #expect(try store.recorded(after: head).lines.count == 3)
  }
}
