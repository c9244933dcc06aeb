import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

/// Actions of foreign keys change rows inside the statement that sets them off.
@Suite("Capture of foreign key actions")
struct ForeignKeyTests {
  private static let on = "PRAGMA foreign_keys = ON"

  @Test("children are told before the parent's row, and replay in that order")
  func cascadedDelete() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);
      """, settings: Self.on)
    try probe.connection.execute("INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1), (2, 1)")
    #expect(
      Set(try probe.run("UPDATE p SET id = 5"))
        == ["update p[1] id=1>5", "update c[1] p=1>5", "update c[2] p=1>5"])
    #expect(
      Set(try probe.run("DELETE FROM p"))
        == ["delete c[1] id=1 p=5", "delete c[2] id=2 p=5", "delete p[5] id=5"])
  }

  @Test(
    "a row that others of its table follow changes before them (fact 46)",
    arguments: [
      "t(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON UPDATE CASCADE, a)",
      "t(id TEXT PRIMARY KEY, p TEXT REFERENCES t(id) ON UPDATE CASCADE, a)",
      "t(id TEXT PRIMARY KEY, p TEXT REFERENCES t ON UPDATE CASCADE, a) WITHOUT ROWID",
      "t(n INTEGER PRIMARY KEY, id INT UNIQUE, p INT REFERENCES t(id) ON UPDATE CASCADE, a)",
    ], Capture.allCases)
  func selfCascade(table: String, capture: Capture) throws {
    let probe = try CaptureProbe("CREATE TABLE \(table)", capture, settings: Self.on)
    try probe.connection.execute(
      "INSERT INTO t(id, p, a) VALUES (1, NULL, 'a'), (2, 1, 'b'), (3, 2, 'c'), (4, 4, 'd')")
    _ = try probe.run("UPDATE t SET id = 10 WHERE id = 1")
    // The row refers to itself.
    _ = try probe.run("UPDATE t SET id = 40 WHERE id = 4")
    _ = try probe.run("UPDATE t SET id = id + 100")
    _ = try probe.run("UPDATE t SET a = 'e'")
    _ = try probe.run("UPDATE OR IGNORE t SET id = 103")
    _ = try probe.run("UPDATE t SET a = 'f', id = id || '' WHERE a = 'e'")
  }

  @Test("the parent's change of key comes first, then its followers'")
  func order() throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON UPDATE CASCADE)",
      settings: Self.on)
    try probe.connection.execute("INSERT INTO t VALUES (1, NULL), (2, 1)")
    #expect(
      try probe.run("UPDATE t SET id = 9 WHERE id = 1")
        == ["update t[1] id=1>9", "update t[2] p=1>9"])
    try probe.connection.execute("UPDATE t SET p = 9 WHERE id = 9")
    #expect(
      try probe.run("UPDATE t SET id = 8 WHERE id = 9").first == "update t[9] id=9>8")
  }

  @Test(
    "ON UPDATE SET NULL and SET DEFAULT of its own table",
    arguments: ["SET NULL", "SET DEFAULT", "NO ACTION"], Capture.allCases)
  func selfSet(action: String, capture: Capture) throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, p DEFAULT 4 REFERENCES t(id) ON UPDATE \(action))",
      capture, settings: Self.on)
    try probe.connection.execute(
      "INSERT INTO t VALUES (1, NULL), (2, 1), (3, 1), (4, NULL), (5, 5)")
    if action == "NO ACTION" {
      _ = try probe.run("UPDATE t SET id = 10 WHERE id = 1", fails: true)
    } else {
      _ = try probe.run("UPDATE t SET id = 10 WHERE id = 1")
      _ = try probe.run("UPDATE t SET id = 50 WHERE id = 5")
    }
    _ = try probe.run("UPDATE t SET id = 33 WHERE id = 3")
  }

  @Test(
    "a self-referencing ON DELETE action in the middle of a REPLACE (fact 48)",
    arguments: ["SET NULL", "CASCADE", "SET DEFAULT"],
    ReplaceTests.settings)
  func deleteInsideReplace(action: String, settings: String) throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, p DEFAULT 9 REFERENCES t ON DELETE \(action))
      """, settings: Self.on + ";" + settings)
    try probe.connection.execute(
      "INSERT INTO t VALUES (9, 'z', NULL), (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2), (4, 'd', 1)")
    _ = try probe.run("REPLACE INTO t VALUES (1, 'e', NULL)")
    _ = try probe.run("REPLACE INTO t VALUES (7, 'b', NULL)")
    _ = try probe.run("REPLACE INTO t VALUES (3, 'd', NULL), (8, 'z', NULL)")
    _ = try probe.run("UPDATE OR REPLACE t SET u = 'e' WHERE id = 7")
    _ = try probe.run("DELETE FROM t")
  }

  @Test("a circle of two tables")
  func circle() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, b REFERENCES b(a) ON UPDATE CASCADE ON DELETE SET NULL);
      CREATE TABLE b(id INTEGER PRIMARY KEY,
        a UNIQUE REFERENCES a(id) ON UPDATE CASCADE ON DELETE SET NULL);
      """, settings: Self.on)
    try probe.connection.execute(
      "INSERT INTO a VALUES (1, NULL), (2, NULL); INSERT INTO b VALUES (1, 1), (2, 2)")
    _ = try probe.run("UPDATE a SET b = 1 WHERE id = 2")
    _ = try probe.run("UPDATE a SET id = id + 10")
    _ = try probe.run("REPLACE INTO a VALUES (11, NULL)")
    _ = try probe.run("DELETE FROM b")
  }

  @Test("a deferred key that fails at COMMIT leaves nothing")
  func deferred() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p DEFERRABLE INITIALLY DEFERRED);
      """, settings: Self.on)
    try probe.connection.execute("BEGIN; INSERT INTO c VALUES (1, 1)")
    #expect(throws: SQLiteError.self) { try probe.connection.execute("COMMIT") }
    #expect(try probe.store.recorded().lines == [])
    try probe.connection.execute("ROLLBACK")
    #expect(try probe.store.recorded().lines == [])
    #expect(
      try probe.run("BEGIN; INSERT INTO c VALUES (1, 1); INSERT INTO p VALUES (1); COMMIT").count
        == 2)
  }
}
