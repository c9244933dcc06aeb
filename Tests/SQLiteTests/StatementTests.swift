import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Statement")
struct StatementTests {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, x UNIQUE)")
  }

  @Test("it starts again after its last row")
  func restarts() throws {
    let statement = try connection.prepare("VALUES (1), (2)")
    for _ in 0..<2 {
      #expect(try statement.step())
      #expect(try statement.step())
      #expect(try !statement.step())
      #expect(!statement.isBusy)
    }
  }

  @Test("a step that fails leaves it reset, and it can be run again")
  func resetOnError() throws {
    let insert = try connection.prepare("INSERT INTO t(x) VALUES (?1)")
    try insert.bind([1])
    try insert.run()
    for _ in 0..<2 {
      let error = #expect(throws: SQLiteError.self) { try insert.step() }
      #expect(error?.code == .constraintUnique)
      #expect(!insert.isBusy)
    }
    try insert.bind(2, at: 1)
    try insert.run()
    #expect(try connection.rows("SELECT x FROM t ORDER BY id") == [[1], [2]])
  }

  @Test("it is not left busy when it meets a lock")
  func resetOnBusy() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let (writer, other) = (try store.connection(), try store.connection())
    try writer.execute("BEGIN IMMEDIATE")
    let insert = try other.prepare("INSERT INTO t VALUES (1)")
    #expect(throws: SQLiteError.self) { try insert.run() }
    #expect(!insert.isBusy)
    try writer.execute("ROLLBACK")
    try insert.run()
    #expect(other.changes == 1)
  }

  @Test("running passes over rows, and resetting ends a run")
  func runAndReset() throws {
    let statement = try connection.prepare("VALUES (1), (2)")
    try statement.run()
    #expect(!statement.isBusy)
    #expect(try statement.step())
    #expect(statement.isBusy)
    statement.reset()
    #expect(!statement.isBusy)
  }

  @Test("parameters are bound by index, by name and all at once")
  func parameters() throws {
    let statement = try connection.prepare("SELECT :a, ?5, $b")
    #expect(statement.parameterCount == 6)
    #expect(statement.parameterIndex(named: ":a") == 1)
    #expect(statement.parameterIndex(named: "$b") == 6)
    #expect(statement.parameterIndex(named: "b") == nil)
    try statement.bind("x", named: ":a")
    try statement.bind(2, at: 5)
    try statement.bind(3.5, named: "$b")
    #expect(try statement.step())
    #expect(statement.row == ["x", 2, 3.5])
    statement.reset()
    statement.clearBindings()
    #expect(try statement.step())
    #expect(statement.row == [.null, .null, .null])
  }

  @Test("a parameter that does not exist, or one value too few, is an error")
  func wrongParameters() throws {
    let statement = try connection.prepare("SELECT ?1, ?2")
    let failures: [() throws -> Void] = [
      { try statement.bind(1, at: 0) }, { try statement.bind(1, at: 3) },
      { try statement.bind(1, at: .max) },
      { try statement.bind(1, named: ":x") }, { try statement.bind([1]) },
      { try statement.bind([1, 2, 3]) }, { try connection.run("SELECT ?1") },
    ]
    for failure in failures {
      let error = #expect(throws: SQLiteError.self) { try failure() }
      #expect(error?.code == .range)
    }
  }

  @Test("it tells its columns and its nature")
  func nature() throws {
    let select = try connection.prepare("  SELECT id, x AS \"a b\" FROM t -- all\n")
    #expect(select.sql == "SELECT id, x AS \"a b\" FROM t -- all")
    #expect((0..<3).map { select.columnName($0) } == ["id", "a b", ""])
    #expect(select.isReadOnly)
    #expect(!select.isExplain)
    let insert = try connection.prepare("INSERT INTO t DEFAULT VALUES;")
    #expect(insert.columnCount == 0)
    #expect(!insert.isReadOnly)
    #expect(try connection.prepare("EXPLAIN QUERY PLAN SELECT 1").isExplain)
  }

  @Test("the first row of a query ends it, so nothing is left locked")
  func firstRow() throws {
    try connection.execute("INSERT INTO t(x) VALUES (1), (2)")
    #expect(try connection.row("SELECT x FROM t ORDER BY id") == [1])
    #expect(try connection.row("SELECT x FROM t WHERE x = ?1", 9) == nil)
    #expect(!connection.hasBusyStatement)
    try connection.execute("DROP TABLE t")
  }

  @Test("its columns follow the schema")
  func schemaChange() throws {
    let statement = try connection.prepare("SELECT * FROM t")
    try connection.execute("INSERT INTO t(x) VALUES (7)")
    #expect(try statement.step())
    #expect(statement.row == [1, 7])
    statement.reset()
    try connection.execute("ALTER TABLE t ADD z DEFAULT 'z'")
    #expect(try statement.step())
    #expect(statement.columnCount == 3)
    #expect(statement.row == [1, 7, "z"])
  }

  @Test("an interrupted run fails with its code, and is reset")
  func interrupt() throws {
    let statement = try connection.prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    #expect(try statement.step())
    connection.interrupt()
    let error = #expect(throws: SQLiteError.self) { try statement.run() }
    #expect(error?.code == .interrupt)
    #expect(!statement.isBusy)
    #expect(try connection.row("SELECT 1") == [1])
  }

  @Test("it can be bound anew once it has come to its end")
  func bindAfterEnd() throws {
    let statement = try connection.prepare("SELECT ?1")
    for value: StoredValue in [1, 2, 3] {
      try statement.bind(value, at: 1)
      #expect(try statement.step())
      #expect(statement.row == [value])
      #expect(try !statement.step())
    }
    try statement.run()
    try statement.bind([4])
  }

  @Test("binding while it is busy is an error, and changes nothing")
  func bindWhileBusy() throws {
    let statement = try connection.prepare("SELECT ?1 UNION ALL SELECT ?1")
    try statement.bind(1, at: 1)
    #expect(try statement.step())
    let error = #expect(throws: SQLiteError.self) { try statement.bind(2, at: 1) }
    #expect(error?.code == .misuse)
    #expect(try statement.step())
    #expect(statement.row == [1])
  }
}
