import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: what triggers see")
struct CaptureFacts {
  let connection: Connection

  /// A table whose inserts and deletes are written to a log.
  static let tracked = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, x UNIQUE);
    CREATE TABLE log(n INTEGER PRIMARY KEY, what);
    CREATE TRIGGER ti AFTER INSERT ON t BEGIN
      INSERT INTO log(what) VALUES ('insert ' || NEW.id); END;
    CREATE TRIGGER td AFTER DELETE ON t BEGIN
      INSERT INTO log(what) VALUES ('delete ' || OLD.id); END;
    """

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(Self.tracked)
  }

  func log(_ connection: Connection? = nil) throws -> [String] {
    try (connection ?? self.connection).rows("SELECT what FROM log ORDER BY n")
      .compactMap { $0[0].text }
  }

  @Test("fact 1: a trigger sees another process, the update hook does not")
  func everyWriter() throws {
    let store = try TemporaryStore(sql: Self.tracked)
    let connection = try store.connection()
    let hook = UpdateHook(connection)
    try WriterProcess(path: store.path).run("INSERT INTO t(id) VALUES (7)")
    #expect(try log(connection) == ["insert 7"])
    #expect(hook.calls == [])
    try connection.run("INSERT INTO t(id) VALUES (8)")
    #expect(hook.calls == ["insert t", "insert log"])
  }

  @Test("fact 1: the update hook misses WITHOUT ROWID, REPLACE victims and a DELETE of all")
  func hookMisses() throws {
    try connection.execute(
      """
      CREATE TABLE w(k PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE r(k INTEGER PRIMARY KEY, x UNIQUE);
      INSERT INTO r VALUES (1, 1), (2, 2);
      """)
    let hook = UpdateHook(connection)
    try connection.run("INSERT INTO w VALUES (1)")
    #expect(hook.calls == [])
    try connection.run("REPLACE INTO r VALUES (3, 1)")
    #expect(hook.calls == ["insert r"])
    try connection.run("DELETE FROM r")
    #expect(hook.calls == ["insert r"])
    #expect(try connection.row("SELECT count(*) FROM r") == [0])
  }

  @Test("fact 1: triggers do not see DROP TABLE")
  func dropTable() throws {
    try connection.execute("INSERT INTO t(id) VALUES (1); DROP TABLE t")
    #expect(try log() == ["insert 1"])
  }

  @Test("fact 1: VACUUM renumbers rowids without INTEGER PRIMARY KEY, unseen")
  func vacuum() throws {
    try connection.execute(
      """
      CREATE TABLE v(x); INSERT INTO v VALUES ('a'), ('b'), ('c'); DELETE FROM v WHERE x = 'a';
      CREATE TRIGGER vi AFTER INSERT ON v BEGIN INSERT INTO log(what) VALUES ('v'); END;
      CREATE TRIGGER vu AFTER UPDATE ON v BEGIN INSERT INTO log(what) VALUES ('v'); END;
      CREATE TRIGGER vd AFTER DELETE ON v BEGIN INSERT INTO log(what) VALUES ('v'); END;
      """)
    #expect(try connection.rows("SELECT rowid FROM v ORDER BY x") == [[2], [3]])
    try connection.run("VACUUM")
    #expect(try connection.rows("SELECT rowid FROM v ORDER BY x") == [[1], [2]])
    #expect(try log() == [])
  }

  @Test("fact 2: with a DELETE trigger, DELETE of all visits every row")
  func noTruncate() throws {
    try connection.execute("INSERT INTO t(id) VALUES (1), (2); DELETE FROM log; DELETE FROM t")
    #expect(try log() == ["delete 1", "delete 2"])
  }

  @Test("fact 4: the statement's conflict policy overrides the one inside the trigger")
  func conflictPolicy() throws {
    try connection.execute(
      """
      CREATE TABLE c(x UNIQUE ON CONFLICT ABORT); CREATE TABLE s(x);
      CREATE TRIGGER si AFTER INSERT ON s BEGIN
        INSERT OR ABORT INTO c VALUES (NEW.x % 10); END;
      INSERT INTO s VALUES (1);
      """)
    #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO s VALUES (11)") }
    let before = try connection.rows("SELECT rowid FROM c")
    try connection.run("INSERT OR IGNORE INTO s VALUES (21)")
    #expect(try connection.rows("SELECT rowid FROM c") == before)
    #expect(try connection.row("SELECT count(*) FROM s") == [2])
    try connection.run("INSERT OR REPLACE INTO s VALUES (31)")
    #expect(try connection.row("SELECT count(*), max(rowid) FROM c") == [1, 2])
  }

  @Test("fact 4: a history row that breaks NOT NULL or CHECK is dropped with OR IGNORE")
  func ignoredHistory() throws {
    try connection.execute(
      """
      CREATE TABLE c(x NOT NULL, y CHECK (y > 0)); CREATE TABLE s(x, y);
      CREATE TRIGGER si AFTER INSERT ON s BEGIN INSERT INTO c VALUES (NEW.x, NEW.y); END;
      INSERT OR IGNORE INTO s VALUES (NULL, 1), (1, -1), (1, 1);
      """)
    #expect(try connection.row("SELECT count(*) FROM s") == [3])
    #expect(try connection.row("SELECT count(*) FROM c") == [1])
  }

  @Test("fact 5: a writer without a trigger's function cannot write at all")
  func ownFunction() throws {
    try connection.execute(
      """
      CREATE TABLE s(x);
      CREATE TRIGGER si AFTER INSERT ON s BEGIN INSERT INTO log(what) VALUES (ours(NEW.x)); END;
      """)
    let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO s VALUES (1)") }
    #expect(error?.message == "no such function: ours")
  }

  @Test("fact 39: counters and RETURNING are not disturbed, except total_changes()")
  func counters() throws {
    try connection.execute("INSERT INTO log(n) VALUES (1000)")
    let total = connection.totalChanges
    let rows = try connection.rows("INSERT INTO t(id) VALUES (5), (6) RETURNING id")
    #expect(rows == [[5], [6]])
    #expect(connection.lastInsertRowID == 6)
    #expect(connection.changes == 2)
    #expect(connection.totalChanges - total == 4)
    let told = try connection.row("SELECT last_insert_rowid(), changes()")
    #expect(told == [6, 2])
  }

  @Test("fact 39: any trigger switches off the transfer of whole rows of INSERT ... SELECT")
  func transfer() throws {
    try connection.execute("CREATE TABLE a(x); CREATE TABLE b(x)")
    func decodesColumns() throws -> Bool {
      try connection.rows("EXPLAIN INSERT INTO a SELECT * FROM b").contains { $0[1] == "Column" }
    }
    #expect(try !decodesColumns())
    try connection.execute("CREATE TRIGGER g AFTER DELETE ON a BEGIN SELECT 1; END")
    #expect(try !decodesColumns())
    try connection.execute("CREATE TRIGGER h AFTER INSERT ON a BEGIN SELECT 1; END")
    #expect(try decodesColumns())
  }

  @Test("fact 61: temporary triggers stay on when triggers are switched off")
  func temporaryTriggers() throws {
    let schema = try connection.row("PRAGMA schema_version")
    try connection.execute(
      """
      CREATE TEMP TRIGGER mine AFTER INSERT ON t BEGIN
        INSERT INTO log(what) VALUES ('mine ' || NEW.id); END
      """)
    connection.setTriggersEnabled(false)
    try connection.run("INSERT INTO t(id) VALUES (1)")
    #expect(try log() == ["mine 1"])
    #expect(try connection.row("PRAGMA schema_version") == schema)
  }
}
