import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: schemas and names")
struct SchemaFacts {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE log(n INTEGER PRIMARY KEY, what)")
  }

  func log() throws -> [StoredValue] {
    try connection.rows("SELECT what FROM log ORDER BY n").map { $0[0] }
  }

  @Test("fact 10: NEW.rowid on a WITHOUT ROWID table is accepted, then every INSERT fails")
  func withoutRowID() throws {
    try connection.execute(
      """
      CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TRIGGER g AFTER INSERT ON w BEGIN INSERT INTO log(what) VALUES (NEW.rowid); END;
      """)
    let error = #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO w VALUES ('a')")
    }
    #expect(error?.message == "no such column: NEW.rowid")
  }

  @Test("fact 10: a column named rowid hides the real one")
  func hiddenRowID() throws {
    try connection.execute("CREATE TABLE t(rowid, x); INSERT INTO t VALUES ('mine', 1)")
    #expect(try connection.row("SELECT rowid, _rowid_, oid FROM t") == ["mine", 1, 1])
    try connection.execute("CREATE TABLE u(rowid, _rowid_, oid); INSERT INTO u VALUES (7, 8, 9)")
    #expect(try connection.row("SELECT rowid, _rowid_, oid FROM u") == [7, 8, 9])
  }

  @Test("fact 10: BEFORE INSERT sees rowid -1, and a TEXT PRIMARY KEY takes NULL several times")
  func nullKeys() throws {
    try connection.execute(
      """
      CREATE TABLE t(k TEXT PRIMARY KEY);
      CREATE TRIGGER g BEFORE INSERT ON t BEGIN INSERT INTO log(what) VALUES (NEW.rowid); END;
      INSERT INTO t VALUES (NULL), (NULL);
      """)
    #expect(try log() == [-1, -1])
    #expect(try connection.row("SELECT count(*) FROM t WHERE k IS NULL") == [2])
  }

  @Test("fact 52: INTEGER PRIMARY KEY DESC is not the rowid, and takes NULL")
  func descendingKey() throws {
    try connection.execute(
      "CREATE TABLE t(k INTEGER PRIMARY KEY DESC); INSERT INTO t VALUES (NULL), (5)")
    #expect(try connection.rows("SELECT rowid, k FROM t ORDER BY rowid") == [[1, nil], [2, 5]])
  }

  @Test("fact 13: generated columns are in table_xinfo only")
  func generatedColumns() throws {
    try connection.execute(
      """
      CREATE TABLE t(a, v AS (a + 1) VIRTUAL, s AS (a + 2) STORED);
      """)
    #expect(try connection.rows("SELECT name FROM pragma_table_info('t')") == [["a"]])
    #expect(
      try connection.rows("SELECT name, hidden FROM pragma_table_xinfo('t')")
        == [["a", 0], ["v", 2], ["s", 3]])
  }

  @Test("fact 13: views and virtual tables cannot carry AFTER triggers")
  func noTriggers() throws {
    try connection.execute("CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(x)")
    var messages: [String] = []
    for table in ["v", "f"] {
      do {
        try connection.execute("CREATE TRIGGER g AFTER INSERT ON \(table) BEGIN SELECT 1; END")
      } catch {
        messages.append(error.message)
      }
    }
    #expect(
      messages == [
        "cannot create AFTER trigger on view: v", "cannot create triggers on virtual tables",
      ])
  }

  @Test("fact 13: shadow tables look like tables, and table_list tells them apart")
  func shadowTables() throws {
    try connection.execute("CREATE VIRTUAL TABLE f USING fts5(x)")
    #expect(
      try connection.row("SELECT type FROM sqlite_master WHERE name = 'f_data'") == ["table"])
    #expect(
      try connection.row("SELECT type FROM pragma_table_list WHERE name = 'f_data'")
        == ["shadow"])
  }

  @Test("fact 1 corrected: a trigger on a shadow table of FTS5 is accepted and does fire")
  func shadowTriggers() throws {
    try connection.execute(
      """
      CREATE VIRTUAL TABLE f USING fts5(x);
      CREATE TRIGGER g AFTER INSERT ON f_content BEGIN INSERT INTO log(what) VALUES (NEW.c0); END;
      INSERT INTO f VALUES ('hello');
      """)
    #expect(try log() == ["hello"])
  }

  @Test("fact 14: names hold anything, and are the same without the case of ASCII")
  func names() throws {
    for name in ["a b", "select", "q\"uote", "ä", "'", ";--"] {
      let quoted = Identifier.quoted(name)
      try connection.execute(
        """
        CREATE TABLE \(quoted)(\(quoted));
        CREATE TRIGGER \(Identifier.quoted("g " + name)) AFTER INSERT ON \(quoted) BEGIN
          INSERT INTO log(what) VALUES (NEW.\(quoted)); END;
        INSERT INTO \(quoted) VALUES (1);
        """)
    }
    #expect(try log() == [1, 1, 1, 1, 1, 1])
    #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE \"SELECT\"(x)") }
    try connection.execute("CREATE TABLE \"Ä\"(x)")
  }

  @Test("fact 15: a trigger of main cannot write to an attached database, a TEMP one can")
  func attached() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let other = try TemporaryStore(sql: "CREATE TABLE log(what)")
    let connection = try store.connection()
    try connection.run("ATTACH ?1 AS other", .text(other.path))
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute(
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO other.log VALUES (1); END")
    }
    #expect(error?.message.contains("qualified table names are not allowed") == true)
    try connection.execute(
      """
      CREATE TEMP TRIGGER g AFTER INSERT ON main.t BEGIN INSERT INTO log VALUES (NEW.x); END;
      INSERT INTO t VALUES (1);
      """)
    try store.connection().run("INSERT INTO t VALUES (2)")
    #expect(try connection.rows("SELECT what FROM other.log") == [[1]])
  }

  @Test("fact 49: a table called new takes the name of the row, unless it has an alias")
  func tableCalledNew() throws {
    try connection.execute(
      """
      CREATE TABLE "new"(x); INSERT INTO "new" VALUES (1);
      CREATE TRIGGER g AFTER INSERT ON "new" BEGIN
        INSERT INTO log(what) SELECT "new".x FROM "new"; END;
      INSERT INTO "new" VALUES (2);
      """)
    #expect(try log() == [1, 2])
    try connection.execute(
      """
      DROP TRIGGER g; DELETE FROM log;
      CREATE TRIGGER g AFTER INSERT ON "new" BEGIN
        INSERT INTO log(what) SELECT NEW.x FROM "new" AS a; END;
      INSERT INTO "new" VALUES (3);
      """)
    #expect(try log() == [3, 3, 3])
  }
}
