import HistoryModel
import SQLite
import Testing

@Suite("Facts: what fires, and in which order")
struct OrderFacts {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE log(n INTEGER PRIMARY KEY, what);
      CREATE TABLE t(id INTEGER PRIMARY KEY, x UNIQUE, y);
      """)
  }

  /// Triggers of every kind on a table that log their event and the key.
  func track(_ table: String, key: String = "id") throws {
    for (event, row) in [("INSERT", "NEW"), ("UPDATE", "NEW"), ("DELETE", "OLD")] {
      for time in ["BEFORE", "AFTER"] {
        try connection.execute(
          """
          CREATE TRIGGER "\(table) \(time) \(event)" \(time) \(event) ON \(table) BEGIN
            INSERT INTO log(what)
            VALUES ('\(table) \(time) \(event) ' || coalesce(\(row).\(key), 'NULL'));
          END;
          """)
      }
    }
  }

  func takeLog() throws -> [String] {
    let rows = try connection.rows("SELECT what FROM log ORDER BY n").compactMap { $0[0].text }
    try connection.run("DELETE FROM log")
    return rows
  }

  @Test("fact 6: DO UPDATE fires BEFORE INSERT and the UPDATE triggers, never AFTER INSERT")
  func upsert() throws {
    try connection.run("INSERT INTO t VALUES (1, 'a', 0)")
    try track("t")
    try connection.run("INSERT INTO t VALUES (9, 'a', 1) ON CONFLICT(x) DO UPDATE SET y = 2")
    #expect(try takeLog() == ["t BEFORE INSERT 9", "t BEFORE UPDATE 1", "t AFTER UPDATE 1"])
  }

  @Test("fact 6: DO NOTHING and OR IGNORE fire BEFORE INSERT and nothing else")
  func nothing() throws {
    try connection.run("INSERT INTO t VALUES (1, 'a', 0)")
    try track("t")
    try connection.run("INSERT INTO t VALUES (9, 'a', 1) ON CONFLICT(x) DO NOTHING")
    try connection.run("INSERT OR IGNORE INTO t VALUES (8, 'a', 1)")
    #expect(try takeLog() == ["t BEFORE INSERT 9", "t BEFORE INSERT 8"])
  }

  @Test("fact 7: foreign key actions fire the child's triggers, child before parent")
  func foreignKeyActions() throws {
    try connection.execute(
      """
      PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = OFF;
      CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON DELETE CASCADE);
      CREATE TABLE d(id INTEGER PRIMARY KEY,
        p REFERENCES t(id) ON DELETE SET NULL ON UPDATE CASCADE);
      INSERT INTO t VALUES (1, 1, 1), (2, 2, 2); INSERT INTO c VALUES (10, 1);
      INSERT INTO d VALUES (20, 1), (21, 2);
      CREATE TRIGGER ta AFTER DELETE ON t BEGIN INSERT INTO log(what) VALUES ('t'); END;
      CREATE TRIGGER tu AFTER UPDATE ON t BEGIN INSERT INTO log(what) VALUES ('t'); END;
      CREATE TRIGGER ca AFTER DELETE ON c BEGIN INSERT INTO log(what) VALUES ('c'); END;
      CREATE TRIGGER da AFTER UPDATE ON d BEGIN INSERT INTO log(what) VALUES ('d'); END;
      """)
    for mode in ["OFF", "ON"] {
      try connection.execute("PRAGMA recursive_triggers = \(mode); SAVEPOINT s")
      try connection.run("DELETE FROM t WHERE id = 1")
      #expect(try takeLog().sorted() == ["c", "d", "t"])
      try connection.execute("ROLLBACK TO s; RELEASE s; SAVEPOINT s")
      try connection.run("DELETE FROM t WHERE id = 1")
      #expect(try connection.row("SELECT what FROM log ORDER BY n DESC LIMIT 1") == ["t"])
      try connection.execute("ROLLBACK TO s; RELEASE s")
    }
    try connection.run("UPDATE t SET id = 3 WHERE id = 2")
    #expect(try takeLog() == ["d", "t"])
  }

  @Test("fact 8: the newest trigger fires first, and making one anew puts it in front")
  func newestFirst() throws {
    let ours = """
      CREATE TRIGGER ours AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES ('ours'); END
      """
    try connection.execute(ours)
    try connection.execute(
      "CREATE TRIGGER app AFTER INSERT ON t BEGIN INSERT INTO log(what) VALUES ('app'); END")
    try connection.run("INSERT INTO t(id) VALUES (1)")
    #expect(try takeLog() == ["app", "ours"])
    try connection.execute("DROP TRIGGER ours; \(ours)")
    try connection.run("INSERT INTO t(id) VALUES (2)")
    #expect(try takeLog() == ["ours", "app"])
  }

  @Test("fact 8: RAISE(IGNORE) before the row skips the row and its log together")
  func raiseIgnore() throws {
    try track("t")
    try connection.execute(
      """
      CREATE TRIGGER app BEFORE INSERT ON t WHEN NEW.id = 1 BEGIN SELECT RAISE(IGNORE); END;
      INSERT INTO t(id) VALUES (1), (2);
      """)
    #expect(try takeLog() == ["t BEFORE INSERT 2", "t AFTER INSERT 2"])
    #expect(try connection.rows("SELECT id FROM t") == [[2]])
  }

  @Test("fact 46: a row that refers to itself logs the action before its own key change")
  func selfCascade() throws {
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE s(id INTEGER PRIMARY KEY, p REFERENCES s(id) ON UPDATE CASCADE);
      INSERT INTO s VALUES (1, 1);
      CREATE TRIGGER su AFTER UPDATE ON s BEGIN
        INSERT INTO log(what)
        VALUES (OLD.id || '/' || OLD.p || ' to ' || NEW.id || '/' || NEW.p); END;
      UPDATE s SET id = 2;
      """)
    #expect(try takeLog() == ["2/1 to 2/2", "1/1 to 2/1"])
    #expect(try connection.rows("SELECT id, p FROM s") == [[2, 2]])
  }

  @Test("fact 48: ON DELETE SET NULL fires the UPDATE triggers in the middle of a REPLACE")
  func selfSetNull() throws {
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE s(id INTEGER PRIMARY KEY, x UNIQUE, p REFERENCES s(id) ON DELETE SET NULL);
      INSERT INTO s VALUES (1, 'a', NULL), (2, 'b', 1);
      """)
    try track("s")
    try connection.run("REPLACE INTO s VALUES (3, 'a', NULL)")
    #expect(
      try takeLog() == [
        "s BEFORE INSERT 3", "s BEFORE UPDATE 2", "s AFTER UPDATE 2", "s AFTER INSERT 3",
      ])
  }

  @Test("fact 52: an application that keeps a row by RAISE(IGNORE) leaves no delete to show")
  func keptRow() throws {
    try connection.execute(
      """
      INSERT INTO t(id) VALUES (1);
      CREATE TRIGGER ours AFTER DELETE ON t BEGIN INSERT INTO log(what) VALUES ('gone'); END;
      CREATE TRIGGER app BEFORE DELETE ON t BEGIN SELECT RAISE(IGNORE); END;
      DELETE FROM t;
      """)
    #expect(try takeLog() == [])
    #expect(try connection.row("SELECT count(*) FROM t") == [1])
  }

  @Test("fact 52: reverse_unordered_selects turns round a trigger's SELECT")
  func reverseUnordered() throws {
    try connection.execute(
      """
      INSERT INTO t(id) VALUES (1), (2), (3);
      CREATE TABLE s(x);
      CREATE TRIGGER g AFTER INSERT ON s BEGIN INSERT INTO log(what) SELECT id || '' FROM t; END;
      INSERT INTO s VALUES (0);
      """)
    #expect(try takeLog() == ["1", "2", "3"])
    try connection.execute("PRAGMA reverse_unordered_selects = ON; INSERT INTO s VALUES (0)")
    #expect(try takeLog() == ["3", "2", "1"])
  }
}
