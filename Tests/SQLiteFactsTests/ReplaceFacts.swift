import HistoryModel
import SQLite
import Testing

@Suite("Facts: rows that make room for others")
struct ReplaceFacts {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE log(n INTEGER PRIMARY KEY, what);
      CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b TEXT COLLATE NOCASE UNIQUE);
      CREATE TRIGGER td AFTER DELETE ON t BEGIN INSERT INTO log(what) VALUES (OLD.id); END;
      INSERT INTO t VALUES (1, 1, 'one'), (2, 2, 'two'), (3, 3, 'three');
      """)
  }

  func log() throws -> [StoredValue] {
    try connection.rows("SELECT what FROM log ORDER BY n").map { $0[0] }
  }

  func ids() throws -> [StoredValue] { try connection.rows("SELECT id FROM t").map { $0[0] } }

  @Test("fact 3: REPLACE fires no DELETE trigger, and one row can displace several")
  func silent() throws {
    #expect(try connection.row("PRAGMA recursive_triggers") == [0])
    try connection.run("REPLACE INTO t VALUES (1, 2, 'THREE')")
    #expect(try ids() == [1])
    #expect(try log() == [])
  }

  @Test("fact 3: UPDATE OR REPLACE fires none either")
  func update() throws {
    try connection.run("UPDATE OR REPLACE t SET a = 2 WHERE id = 1")
    #expect(try ids() == [1, 3])
    #expect(try log() == [])
  }

  @Test("fact 3: nor does UNIQUE ON CONFLICT REPLACE in the schema")
  func schema() throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE);
      CREATE TRIGGER sd AFTER DELETE ON s BEGIN INSERT INTO log(what) VALUES (OLD.id); END;
      INSERT INTO s VALUES (1, 'a'); INSERT INTO s VALUES (2, 'a');
      """)
    #expect(try connection.rows("SELECT id FROM s") == [[2]])
    #expect(try log() == [])
  }

  @Test("fact 3: with recursive_triggers of the writer's connection it does fire")
  func recursive() throws {
    try connection.execute(
      """
      PRAGMA recursive_triggers = ON;
      REPLACE INTO t VALUES (1, 2, 'THREE');
      """)
    #expect(try Set(log()) == [1, 2, 3])
  }

  @Test("fact 3: NEW.id is -1 before the insert for an automatic rowid")
  func automatic() throws {
    try connection.execute(
      """
      CREATE TRIGGER tb BEFORE INSERT ON t BEGIN INSERT INTO log(what) VALUES (NEW.id); END;
      INSERT INTO t(a) VALUES (9); INSERT INTO t(id, a) VALUES (77, 10);
      """)
    #expect(try log() == [-1, 77])
  }

  @Test("fact 3: each EXISTS of the guard uses its index")
  func guardUsesIndexes() throws {
    let plan = try connection.rows(
      """
      EXPLAIN QUERY PLAN SELECT EXISTS (SELECT 1 FROM t WHERE id = ?1)
        OR EXISTS (SELECT 1 FROM t WHERE a = ?2)
        OR EXISTS (SELECT 1 FROM t WHERE b = ?3 COLLATE NOCASE)
      """, 1, 2, "x"
    ).compactMap { $0[3].text }
    #expect(plan.count { $0.hasPrefix("SEARCH") } == 3)
    #expect(!plan.contains { $0.hasPrefix("SCAN t") })
  }

  @Test("fact 42: after DROP INDEX the guard scans the table")
  func guardWithoutIndex() throws {
    try connection.execute("CREATE TABLE s(u); CREATE UNIQUE INDEX su ON s(u)")
    func plan() throws -> String? {
      try connection.rows(
        "EXPLAIN QUERY PLAN SELECT EXISTS (SELECT 1 FROM s WHERE u = ?1)", 1
      ).compactMap { $0[3].text }.last
    }
    #expect(try plan()?.hasPrefix("SEARCH") == true)
    try connection.execute("DROP INDEX su")
    #expect(try plan()?.hasPrefix("SCAN") == true)
  }

  @Test("fact 42: DROP COLUMN fails while a guard names the column, also after DROP INDEX")
  func guardKeepsColumn() throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, u); CREATE UNIQUE INDEX su ON s(u);
      CREATE TRIGGER g BEFORE INSERT ON s WHEN EXISTS (SELECT 1 FROM s WHERE u = NEW.u)
      BEGIN SELECT 1; END;
      DROP INDEX su;
      """)
    let error = #expect(throws: SQLiteError.self) {
      try connection.run("ALTER TABLE s DROP COLUMN u")
    }
    #expect(error?.message.hasPrefix("error in trigger g after drop column") == true)
  }

  @Test("fact 42: a UNIQUE index made later displaces rows that the guards do not know")
  func newIndex() throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, u);
      CREATE TRIGGER g BEFORE INSERT ON s WHEN EXISTS (SELECT 1 FROM s WHERE id = NEW.id)
      BEGIN INSERT INTO log(what) VALUES (NEW.id); END;
      CREATE UNIQUE INDEX su ON s(u);
      INSERT INTO s VALUES (1, 'a'); REPLACE INTO s VALUES (2, 'a');
      """)
    #expect(try connection.rows("SELECT id FROM s") == [[2]])
    #expect(try log() == [])
  }

  @Test("fact 47: a default fills in after BEFORE INSERT, and may displace a row")
  func defaults() throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, n INT NOT NULL DEFAULT 5 UNIQUE);
      CREATE TRIGGER sb BEFORE INSERT ON s BEGIN INSERT INTO log(what) VALUES (NEW.n); END;
      CREATE TRIGGER sa AFTER INSERT ON s BEGIN INSERT INTO log(what) VALUES (NEW.n); END;
      INSERT INTO s VALUES (1, 5); DELETE FROM log;
      INSERT OR REPLACE INTO s VALUES (2, NULL);
      """)
    #expect(try log() == [.null, 5])
    #expect(try connection.rows("SELECT id, n FROM s") == [[2, 5]])
  }

  @Test("fact 47: so may a UNIQUE generated column")
  func generated() throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, n INT NOT NULL DEFAULT 5,
        g INT GENERATED ALWAYS AS (n * 2) VIRTUAL UNIQUE);
      CREATE TRIGGER sb BEFORE INSERT ON s BEGIN INSERT INTO log(what) VALUES (NEW.g); END;
      CREATE TRIGGER sa AFTER INSERT ON s BEGIN INSERT INTO log(what) VALUES (NEW.g); END;
      INSERT INTO s(id, n) VALUES (1, 5); DELETE FROM log;
      INSERT OR REPLACE INTO s(id, n) VALUES (2, NULL);
      """)
    #expect(try log() == [.null, 10])
    #expect(try connection.rows("SELECT id, g FROM s") == [[2, 10]])
  }

  @Test(
    "fact 47 sharpened: BEFORE UPDATE sees NULL for a generated column over columns nobody names",
    arguments: ["VIRTUAL", "STORED"])
  func generatedBeforeUpdate(kind: String) throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, n, g AS (n * 2) \(kind), z);
      CREATE TRIGGER sb BEFORE UPDATE ON s BEGIN INSERT INTO log(what) VALUES (NEW.g); END;
      CREATE TRIGGER sa AFTER UPDATE ON s BEGIN INSERT INTO log(what) VALUES (NEW.g); END;
      INSERT INTO s(id, n) VALUES (1, 5);
      UPDATE s SET z = 1; UPDATE s SET n = 6;
      """)
    // The last one of each UPDATE is right: the AFTER trigger was made later and fires after.
    #expect(try log() == [.null, 10, 12, 12])
  }

  @Test("fact 50: an UPSERT can displace a row through an index that no clause names")
  func upsert() throws {
    try connection.execute(
      """
      CREATE TABLE s(id INTEGER PRIMARY KEY, a UNIQUE, b UNIQUE, c UNIQUE ON CONFLICT REPLACE);
      CREATE TRIGGER sd AFTER DELETE ON s BEGIN INSERT INTO log(what) VALUES (OLD.id); END;
      INSERT INTO s VALUES (1, 1, 1, 1), (2, 2, 2, 2);
      INSERT INTO s VALUES (3, 9, 9, 2)
        ON CONFLICT(a) DO NOTHING ON CONFLICT(b) DO UPDATE SET a = 100;
      """)
    #expect(try connection.rows("SELECT id FROM s") == [[1], [3]])
    #expect(try log() == [])
  }
}
