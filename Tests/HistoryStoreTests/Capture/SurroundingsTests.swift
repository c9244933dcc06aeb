import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

/// Names, triggers of the application, and settings of its connection.
@Suite("Capture among what the application has")
struct SurroundingsTests {
  @Test(
    "any name will do",
    arguments: [
      "new", "old", "t", "s", "NEW", "what", "row", "v0", "sequence", "order", "a b", "it's", "\"",
      "[x]", "`", "é", "表", "_history", "x;--", "main", "rowid", "NULL",
    ])
  func names(name: String) throws {
    let quoted = Identifier.quoted(name)
    let probe = try CaptureProbe(
      """
      CREATE TABLE \(quoted)(id INTEGER PRIMARY KEY, \(quoted) UNIQUE, x);
      CREATE UNIQUE INDEX i ON \(quoted)(lower(\(quoted)), x) WHERE \(quoted) > 0;
      """)
    #expect(
      try probe.run("INSERT INTO \(quoted) VALUES (1, 2, 3)")
        == ["insert \(name)[1] id=1 \(name)=2 x=3"])
    #expect(
      try probe.run("REPLACE INTO \(quoted) VALUES (4, 2, 5)")
        == ["delete \(name)[1] id=1 \(name)=2 x=3", "insert \(name)[4] id=4 \(name)=2 x=5"])
    #expect(
      try probe.run("UPDATE \(quoted) SET \(quoted) = 6, id = 7")
        == ["update \(name)[4] id=4>7 \(name)=2>6"])
    #expect(
      try probe.run("DELETE FROM \(quoted)") == ["delete \(name)[7] id=7 \(name)=6 x=5"])
  }

  @Test("columns called like what trigger bodies use")
  func columnNames() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE t(what INTEGER PRIMARY KEY, row UNIQUE, old, new, s, t, v0, v1, at, sequence);
      """)
    _ = try probe.run("INSERT INTO t VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)")
    _ = try probe.run("REPLACE INTO t VALUES (2, 2, 3, 4, 5, 6, 7, 8, 9, 11)")
    _ = try probe.run("UPDATE t SET old = new, new = old, t = s, v0 = v1")
    _ = try probe.run("DELETE FROM t")
  }

  @Test("an application's trigger that was there before changes rows after their cause")
  func olderTriggers() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a);
      CREATE TABLE log(id INTEGER PRIMARY KEY, text);
      CREATE TRIGGER tidy AFTER INSERT ON t BEGIN UPDATE t SET a = trim(NEW.a) WHERE id = NEW.id; END;
      CREATE TRIGGER note AFTER UPDATE ON t BEGIN INSERT INTO log(text) VALUES (NEW.a); END;
      """)
    #expect(
      try probe.run("INSERT INTO t VALUES (1, ' x ')")
        == ["insert t[1] id=1 a=' x '", "update t[1] a=' x '>'x'", "insert log[1] id=1 text='x'"])
  }

  @Test("RAISE(IGNORE) of the application passes over row and history together")
  func raiseIgnore() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a);
      CREATE TRIGGER k BEFORE DELETE ON t WHEN OLD.a = 'keep' BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER i BEFORE INSERT ON t WHEN NEW.a = 'skip' BEGIN SELECT RAISE(IGNORE); END;
      CREATE TRIGGER u BEFORE UPDATE ON t WHEN NEW.a = 'skip' BEGIN SELECT RAISE(IGNORE); END;
      """)
    try probe.connection.execute("INSERT INTO t VALUES (1, 'keep'), (2, 'x'), (3, 'skip')")
    #expect(try probe.run("REPLACE INTO t VALUES (2, 'skip')") == [])
    #expect(try probe.run("UPDATE t SET a = 'skip'") == [])
    #expect(try probe.run("DELETE FROM t") == ["delete t[2] id=2 a='x'"])
    #expect(try probe.run("INSERT INTO t VALUES (2, 'y')") == ["insert t[2] id=2 a='y'"])
  }

  @Test("a trigger that deletes or moves the row in the middle of its insert")
  func changedInside() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, a);
      CREATE TRIGGER b BEFORE INSERT ON t WHEN NEW.a = 'move'
        BEGIN UPDATE t SET a = 'moved' WHERE u = NEW.u; END;
      CREATE TRIGGER d AFTER INSERT ON t WHEN NEW.a = 'gone' BEGIN DELETE FROM t WHERE id = NEW.id; END;
      """)
    try probe.connection.execute("INSERT INTO t VALUES (1, 'x', 'a'), (2, 'y', 'b')")
    _ = try probe.run("REPLACE INTO t VALUES (3, 'x', 'move')")
    _ = try probe.run("REPLACE INTO t VALUES (2, 'z', 'gone')")
    _ = try probe.run("INSERT OR IGNORE INTO t VALUES (4, 'x', 'move')")
    _ = try probe.run("INSERT INTO t VALUES (5, 'y', 'c')")
  }

  @Test("with trusted_schema off and every writer's setting the same is captured")
  func settings() throws {
    for settings in [
      "PRAGMA trusted_schema = OFF", "PRAGMA defer_foreign_keys = ON", "PRAGMA count_changes = ON",
      "PRAGMA legacy_alter_table = ON", "PRAGMA case_sensitive_like = ON",
      "PRAGMA cell_size_check = ON", "PRAGMA temp_store = MEMORY",
    ] {
      let probe = try CaptureProbe(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE)", settings: settings)
      #expect(try probe.run("INSERT INTO t VALUES (1, 'x')").count == 1)
      #expect(try probe.run("REPLACE INTO t VALUES (2, 'x')").count == 2)
    }
  }

  @Test("another program, with no function of ours, is captured alike")
  func otherProcess() throws {
    let probe = try CaptureProbe("CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE)")
    let writer = try WriterProcess(path: probe.store.path)
    try writer.run("INSERT INTO t VALUES (1, 'x'); REPLACE INTO t VALUES (2, 'x')")
    #expect(
      try probe.store.recorded().lines
        == ["insert t[1] id=1 u='x'", "delete t[1] id=1 u='x'", "insert t[2] id=2 u='x'"])
  }

  @Test("a UTF-16 database")
  func utf16() throws {
    let probe = try CaptureProbe(
      "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    #expect(
      try probe.run("INSERT INTO t VALUES (1, 'é😀' || char(0) || 'x')")
        == ["insert t[1] id=1 a='é😀\0x'"])
    // SQLite itself makes U+FFFD of U+FFFF on the way into UTF-16.
    #expect(
      try probe.run("UPDATE t SET a = char(65535)") == ["update t[1] a='é😀\0x'>'\u{fffd}'"])
  }

  @Test("a rollback-journal store is captured alike", arguments: TemporaryStore.Journal.allCases)
  func journals(journal: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", journal: journal)
    try store.track()
    try store.connection().execute("INSERT INTO t VALUES (1, 2)")
    #expect(try store.recorded().lines == ["insert t[1] id=1 a=2"])
  }
}
