import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

/// What an attempt that came to nothing left in the stash, met by actions of foreign keys.
@Suite("Capture after attempts that came to nothing")
struct LeftoverTests {
  private static let attempts = [
    "INSERT OR IGNORE INTO t VALUES (1, NULL)",
    "INSERT INTO t VALUES (1, NULL) ON CONFLICT DO NOTHING",
    "UPDATE OR IGNORE t SET id = 1 WHERE id = 3",
  ]

  private func probe(_ actions: String, _ attempt: String) throws -> CaptureProbe {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES t(id) \(actions))",
      settings: "PRAGMA foreign_keys = ON")
    try probe.connection.execute("INSERT INTO t VALUES (1, NULL), (2, 1), (3, NULL)")
    #expect(try probe.run(attempt) == [])
    return probe
  }

  @Test("a delete that sets its followers to NULL shows once", arguments: attempts)
  func deleted(attempt: String) throws {
    let probe = try probe("ON DELETE SET NULL", attempt)
    let lines = try probe.run("DELETE FROM t WHERE id = 1")
    #expect(Set(lines) == ["update t[2] p=1>NULL", "delete t[1] id=1 p=NULL"])
    #expect(lines.count == 2)
  }

  @Test("a change of key that its followers follow deletes nothing", arguments: attempts)
  func moved(attempt: String) throws {
    let probe = try probe("ON UPDATE CASCADE", attempt)
    #expect(
      try probe.run("UPDATE t SET id = 5 WHERE id = 1")
        == ["update t[1] id=1>5", "update t[2] p=1>5"])
  }

  @Test("OR FAIL leaves no more than OR IGNORE does")
  func failed() throws {
    let probe = try probe("ON DELETE SET NULL ON UPDATE CASCADE", "SELECT 1")
    #expect(try probe.run("INSERT OR FAIL INTO t VALUES (1, NULL)", fails: true) == [])
    #expect(try probe.run("UPDATE t SET id = 7 WHERE id = 1").count == 2)
    #expect(try probe.run("INSERT OR FAIL INTO t VALUES (7, NULL)", fails: true) == [])
    #expect(try probe.run("DELETE FROM t WHERE id = 7").count == 2)
  }

  @Test("what a change of key displaced goes before it, also where others follow it")
  func displacedByMove() throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON UPDATE CASCADE)",
      settings: "PRAGMA foreign_keys = ON")
    try probe.connection.execute("INSERT INTO t VALUES (4, NULL), (5, NULL), (7, 4)")
    #expect(
      try probe.run("UPDATE OR REPLACE t SET id = 5 WHERE id = 4")
        == ["delete t[5] id=5 p=NULL", "update t[4] id=4>5", "update t[7] p=4>5"])
  }

  @Test("a row that a cascade deletes in the middle of its own update shows with what it displaced")
  func deletedInside() throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, p REFERENCES t(id) ON DELETE CASCADE)",
      settings: "PRAGMA foreign_keys = ON")
    try probe.connection.execute("INSERT INTO t VALUES (1, 'a', NULL), (5, 'b', 1)")
    #expect(
      Set(try probe.run("UPDATE OR REPLACE t SET u = 'a' WHERE id = 5"))
        == ["delete t[1] id=1 u='a' p=NULL", "delete t[5] id=5 u='b' p=1"])
  }
}
