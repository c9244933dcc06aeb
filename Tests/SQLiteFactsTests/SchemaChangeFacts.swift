import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: schema changes while capture stands")
struct SchemaChangeFacts {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE log(n INTEGER PRIMARY KEY, what);
      CREATE TABLE t(id INTEGER PRIMARY KEY, x, y);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN
        INSERT INTO log(what) VALUES ('t ' || NEW.x); END;
      """)
  }

  func log() throws -> [StoredValue] {
    try connection.rows("SELECT what FROM log ORDER BY n").map { $0[0] }
  }

  func schemaVersion() throws -> Int64 {
    try connection.row("PRAGMA schema_version")?[0].integer ?? -1
  }

  @Test("fact 17: RENAME TABLE takes triggers along; literals in them keep the old name")
  func renameTable() throws {
    try connection.execute("ALTER TABLE t RENAME TO u; INSERT INTO u(x) VALUES ('a')")
    #expect(try log() == ["t a"])
    #expect(try connection.row("SELECT tbl_name FROM sqlite_master WHERE name = 'g'") == ["u"])
  }

  @Test("fact 17: RENAME COLUMN rewrites NEW.x")
  func renameColumn() throws {
    try connection.execute("ALTER TABLE t RENAME x TO z; INSERT INTO t(z) VALUES ('a')")
    #expect(try log() == ["t a"])
    let sql = try connection.row("SELECT sql FROM sqlite_master WHERE name = 'g'")
    #expect(sql?[0].text?.contains("NEW.\"z\"") == true || sql?[0].text?.contains("NEW.z") == true)
  }

  @Test("fact 17: ADD COLUMN leaves triggers as they are")
  func addColumn() throws {
    let before = try connection.row("SELECT sql FROM sqlite_master WHERE name = 'g'")
    try connection.execute("ALTER TABLE t ADD z; INSERT INTO t(x, z) VALUES ('a', 'b')")
    #expect(try log() == ["t a"])
    #expect(try connection.row("SELECT sql FROM sqlite_master WHERE name = 'g'") == before)
  }

  @Test("fact 17: DROP COLUMN of a column that a trigger names fails")
  func dropColumn() throws {
    let error = #expect(throws: SQLiteError.self) { try connection.run("ALTER TABLE t DROP x") }
    #expect(error?.message == "error in trigger g after drop column: no such column: NEW.x")
    try connection.run("ALTER TABLE t DROP y")
  }

  @Test("fact 17: a table that is rebuilt or dropped loses its triggers silently")
  func rebuilt() throws {
    try connection.execute(
      """
      BEGIN; CREATE TABLE fresh(id INTEGER PRIMARY KEY, x); INSERT INTO fresh SELECT id, x FROM t;
      DROP TABLE t; ALTER TABLE fresh RENAME TO t; COMMIT;
      INSERT INTO t(x) VALUES ('a');
      """)
    #expect(try log() == [])
    #expect(
      try connection.row("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'") == [0])
  }

  @Test("fact 18: without the history table every tracked write fails, and other ALTERs too")
  func historyDropped() throws {
    try connection.execute("CREATE TABLE u(a); DROP TABLE log")
    let write = #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO t(x) VALUES (1)")
    }
    #expect(write?.message == "no such table: main.log")
    let alter = #expect(throws: SQLiteError.self) {
      try connection.run("ALTER TABLE u RENAME a TO b")
    }
    #expect(alter?.message == "error in trigger g: no such table: main.log")
    try connection.execute("DROP TRIGGER g; INSERT INTO t(x) VALUES (1)")
  }

  @Test(
    "fact 19: schema_version moves on every schema change",
    arguments: [
      "CREATE TABLE u(x)", "DROP TABLE t", "ALTER TABLE t ADD z", "ALTER TABLE t RENAME x TO z",
      "ALTER TABLE t RENAME TO u", "ALTER TABLE t DROP y", "CREATE INDEX i ON t(x)",
      "CREATE VIEW v AS SELECT 1", "DROP TRIGGER g",
      "CREATE TRIGGER h AFTER INSERT ON t BEGIN SELECT 1; END", "VACUUM",
    ])
  func schemaVersionMoves(sql: String) throws {
    let before = try schemaVersion()
    try connection.run(sql)
    #expect(try schemaVersion() > before)
  }

  @Test("fact 19: schema_version stays when only data changes, and shows what others did")
  func schemaVersionOfOthers() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection()
    let writer = try WriterProcess(path: store.path)
    func version() throws -> [StoredValue]? { try connection.row("PRAGMA schema_version") }
    let before = try version()
    try writer.run("INSERT INTO t VALUES (1); DELETE FROM t")
    #expect(try version() == before)
    try writer.run("CREATE TABLE u(x)")
    #expect(try version() != before)
  }

  @Test("fact 19: triggers are lifted, the table altered and triggers made anew in one transaction")
  func liftedTriggers() throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(x, y); CREATE TABLE log(what);
        CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.y); END;
        """)
    let connection = try store.connection()
    let writer = try WriterProcess(path: store.path, busyTimeout: 0)
    try connection.execute(
      "BEGIN IMMEDIATE; DROP TRIGGER g; ALTER TABLE t DROP y; ALTER TABLE t ADD z")
    // Nobody can write in between, and readers see the old schema.
    #expect(throws: WriterProcess.Failure.self) { try writer.run("INSERT INTO t(y) VALUES (1)") }
    #expect(try writer.run("SELECT count(y) FROM t") == "0")
    try connection.execute(
      """
      CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.z); END; COMMIT
      """)
    try writer.run("INSERT INTO t(z) VALUES (7)")
    #expect(try connection.rows("SELECT what FROM log") == [[7]])
  }
}
