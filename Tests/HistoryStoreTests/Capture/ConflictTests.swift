import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

/// Statements that meet a conflict and displace nothing.
@Suite("Capture of conflicts that come to nothing")
struct ConflictTests {
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, a)"
  private static let rows = "INSERT INTO t VALUES (1, 'x', 'a'), (2, 'y', 'b')"

  @Test(
    "it leaves nothing, and a later change shows no delete that was not",
    arguments: [
      "INSERT OR IGNORE INTO t VALUES (1, 'z', 'c')",
      "INSERT OR IGNORE INTO t VALUES (3, 'x', 'c')",
      "INSERT INTO t VALUES (1, 'z', 'c') ON CONFLICT DO NOTHING",
      "INSERT INTO t VALUES (3, 'x', 'c') ON CONFLICT(u) DO NOTHING",
      "UPDATE OR IGNORE t SET u = 'x'", "UPDATE OR IGNORE t SET id = 1",
    ])
  func ignored(sql: String) throws {
    for later in [
      "INSERT INTO t VALUES (9, 'z', 'd')", "UPDATE t SET a = 'd' WHERE id = 2",
      "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2",
    ] {
      let probe = try CaptureProbe(Self.schema)
      try probe.connection.execute(Self.rows)
      #expect(try probe.run(sql) == [])
      let lines = try probe.run(later)
      #expect(lines.count == 1, "\(lines)")
    }
  }

  @Test("a row at -1, which a BEFORE trigger takes an automatic rowid for, is not displaced")
  func minusOne() throws {
    let probe = try CaptureProbe(Self.schema)
    try probe.connection.execute("INSERT INTO t VALUES (-1, 'x', 'a')")
    #expect(try probe.run("INSERT INTO t(u) VALUES ('y')") == ["insert t[0] id=0 u='y' a=NULL"])
    #expect(try probe.run("INSERT OR IGNORE INTO t(u) VALUES ('x')") == [])
    #expect(try probe.run("REPLACE INTO t(u) VALUES ('x')").count == 2)
  }

  @Test("after an ignored insert the deleted row's key may be used again")
  func ignoredThenReused() throws {
    let probe = try CaptureProbe(Self.schema)
    try probe.connection.execute(Self.rows)
    #expect(
      try probe.run(
        """
        INSERT OR IGNORE INTO t VALUES (1, 'z', 'c');
        DELETE FROM t WHERE id = 1;
        INSERT INTO t VALUES (1, 'x', 'e');
        """) == ["delete t[1] id=1 u='x' a='a'", "insert t[1] id=1 u='x' a='e'"])
  }

  @Test("DO UPDATE is an update")
  func upsert() throws {
    let probe = try CaptureProbe(Self.schema)
    try probe.connection.execute(Self.rows)
    #expect(
      try probe.run(
        "INSERT INTO t VALUES (1, 'z', 'c') ON CONFLICT(id) DO UPDATE SET a = excluded.a")
        == ["update t[1] a='a'>'c'"])
    #expect(
      try probe.run(
        "INSERT INTO t VALUES (3, 'y', 'q') ON CONFLICT(u) DO UPDATE SET a = a || excluded.a")
        == ["update t[2] a='b'>'bq'"])
    #expect(
      try probe.run("INSERT INTO t VALUES (3, 'y', 'q') ON CONFLICT(u) DO UPDATE SET a = a") == [])
    #expect(try probe.run("INSERT INTO t VALUES (4, 'w', 0)") == ["insert t[4] id=4 u='w' a=0"])
  }

  @Test("an UPSERT may displace a row through an index that no clause names (fact 50)")
  func upsertThatDisplaces() throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE ON CONFLICT REPLACE, a)")
    try probe.connection.execute(Self.rows)
    #expect(
      try probe.run("INSERT INTO t VALUES (3, 'x', 'c') ON CONFLICT(id) DO UPDATE SET a = 1")
        == ["delete t[1] id=1 u='x' a='a'", "insert t[3] id=3 u='x' a='c'"])
    let sql = "INSERT INTO t VALUES (2, 'x', 'c') ON CONFLICT(id) DO UPDATE SET u = excluded.u"
    #expect(try probe.run(sql, fails: true) == [])
    #expect(try probe.run("DELETE FROM t").count == 2)
  }

  @Test("a failed statement leaves nothing, OR FAIL leaves the rows before the failing one")
  func failed() throws {
    let probe = try CaptureProbe(Self.schema)
    try probe.connection.execute(Self.rows)
    let sql = "INTO t VALUES (5, 'p', 1), (6, 'q', 2), (1, 'r', 3), (7, 's', 4)"
    #expect(try probe.run("INSERT \(sql)", fails: true) == [])
    #expect(try probe.run("INSERT OR ABORT \(sql)", fails: true) == [])
    #expect(
      try probe.run("INSERT OR FAIL \(sql)", fails: true)
        == ["insert t[5] id=5 u='p' a=1", "insert t[6] id=6 u='q' a=2"])
    #expect(try probe.run("INSERT INTO t VALUES (8, 'w', 0)") == ["insert t[8] id=8 u='w' a=0"])
  }

  @Test("a failed REPLACE gives back what it displaced")
  func failedReplace() throws {
    let probe = try CaptureProbe("CREATE TABLE t(id INTEGER PRIMARY KEY, a CHECK (a <> 'bad'))")
    try probe.connection.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    #expect(try probe.run("REPLACE INTO t VALUES (1, 'z'), (2, 'bad')", fails: true) == [])
    #expect(try probe.run("INSERT INTO t VALUES (3, 'w')") == ["insert t[3] id=3 a='w'"])
  }

  @Test("what is rolled back never shows, to a savepoint or whole")
  func rolledBack() throws {
    let probe = try CaptureProbe(Self.schema)
    try probe.connection.execute(Self.rows)
    #expect(try probe.run("BEGIN; DELETE FROM t; ROLLBACK") == [])
    #expect(
      try probe.run(
        """
        BEGIN; UPDATE t SET a = 1 WHERE id = 1;
        SAVEPOINT s; REPLACE INTO t VALUES (1, 'y', 2); ROLLBACK TO s; RELEASE s;
        UPDATE t SET a = 3 WHERE id = 2; COMMIT
        """) == ["update t[1] a='a'>1", "update t[2] a='b'>3"])
  }

  @Test("capture disturbs neither changes() nor last_insert_rowid() nor RETURNING")
  func undisturbed() throws {
    let probe = try CaptureProbe(Self.schema)
    let connection = probe.connection
    #expect(
      try connection.rows("REPLACE INTO t VALUES (7, 'x', 1), (8, 'x', 2) RETURNING id, a")
        == [[7, 1], [8, 2]])
    #expect(connection.changes == 2)
    #expect(connection.lastInsertRowID == 8)
    try connection.execute("UPDATE t SET a = 3")
    #expect(connection.changes == 1)
    #expect(try connection.row("SELECT changes(), last_insert_rowid()") == [1, 8])
  }
}
