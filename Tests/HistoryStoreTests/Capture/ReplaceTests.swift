import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

/// Rows that make room for others: SQLite tells no trigger of them (fact 3).
@Suite("Capture of REPLACE")
struct ReplaceTests {
  /// What the writer's connection may have set, none of which may matter.
  static let settings = [
    "", "PRAGMA recursive_triggers = ON", "PRAGMA reverse_unordered_selects = ON",
    "PRAGMA recursive_triggers = ON; PRAGMA reverse_unordered_selects = ON",
  ]

  /// A table, statements and what the history shows of the last.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: String
    let before: String
    let sql: String
    let lines: [String]
    var testDescription: String { name }
  }

  static let scenarios = [
    Scenario(
      name: "on the key", schema: "t(id INTEGER PRIMARY KEY, a)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t VALUES (1, 'y')",
      lines: ["delete t[1] id=1 a='x'", "insert t[1] id=1 a='y'"]),
    Scenario(
      name: "on the key with the same values", schema: "t(id INTEGER PRIMARY KEY, a)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t VALUES (1, 'x')",
      lines: ["delete t[1] id=1 a='x'", "insert t[1] id=1 a='x'"]),
    Scenario(
      name: "on a UNIQUE column", schema: "t(id INTEGER PRIMARY KEY, u UNIQUE)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t VALUES (2, 'x')",
      lines: ["delete t[1] id=1 u='x'", "insert t[2] id=2 u='x'"]),
    Scenario(
      name: "on a NOCASE column", schema: "t(id INTEGER PRIMARY KEY, u TEXT COLLATE NOCASE UNIQUE)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t VALUES (2, 'X')",
      lines: ["delete t[1] id=1 u='x'", "insert t[2] id=2 u='X'"]),
    Scenario(
      name: "on an index with a collation of its own",
      schema: "t(id INTEGER PRIMARY KEY, u TEXT); CREATE UNIQUE INDEX i ON t(u COLLATE NOCASE)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t VALUES (2, 'X')",
      lines: ["delete t[1] id=1 u='x'", "insert t[2] id=2 u='X'"]),
    Scenario(
      name: "on an index that is stricter than its column",
      schema:
        "t(id INTEGER PRIMARY KEY, u TEXT COLLATE NOCASE); CREATE UNIQUE INDEX i ON t(u COLLATE BINARY)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t VALUES (2, 'X')",
      lines: ["insert t[2] id=2 u='X'"]),
    Scenario(
      name: "on a TEXT key", schema: "t(k TEXT PRIMARY KEY, a)",
      before: "INSERT INTO t VALUES ('p', 1)", sql: "REPLACE INTO t VALUES ('p', 2)",
      lines: ["delete t['p'] k='p' a=1", "insert t['p'] k='p' a=2"]),
    Scenario(
      name: "on a NOCASE key of WITHOUT ROWID",
      schema: "t(k TEXT COLLATE NOCASE PRIMARY KEY, a) WITHOUT ROWID",
      before: "INSERT INTO t VALUES ('p', 1)", sql: "REPLACE INTO t VALUES ('P', 2)",
      lines: ["delete t['p'] k='p' a=1", "insert t['P'] k='P' a=2"]),
    Scenario(
      name: "on a UNIQUE column of WITHOUT ROWID",
      schema: "t(k TEXT PRIMARY KEY, u UNIQUE) WITHOUT ROWID",
      before: "INSERT INTO t VALUES ('p', 1)", sql: "REPLACE INTO t VALUES ('q', 1)",
      lines: ["delete t['p'] k='p' u=1", "insert t['q'] k='q' u=1"]),
    Scenario(
      name: "on a partial index",
      schema: "t(id INTEGER PRIMARY KEY, u, on_ INT); CREATE UNIQUE INDEX i ON t(u) WHERE on_ = 1",
      before: "INSERT INTO t VALUES (1, 'x', 1)", sql: "REPLACE INTO t VALUES (2, 'x', 1)",
      lines: ["delete t[1] id=1 u='x' on_=1", "insert t[2] id=2 u='x' on_=1"]),
    Scenario(
      name: "beside a partial index",
      schema: "t(id INTEGER PRIMARY KEY, u, on_ INT); CREATE UNIQUE INDEX i ON t(u) WHERE on_ = 1",
      before: "INSERT INTO t VALUES (1, 'x', 0), (3, 'x', 1)",
      sql: "REPLACE INTO t VALUES (2, 'x', 0)", lines: ["insert t[2] id=2 u='x' on_=0"]),
    Scenario(
      name: "on an expression",
      schema: "t(id INTEGER PRIMARY KEY, u, v); CREATE UNIQUE INDEX i ON t(lower(u), v DESC)",
      before: "INSERT INTO t VALUES (1, 'x', 1), (2, 'x', 2)",
      sql: "REPLACE INTO t VALUES (3, 'X', 1)",
      lines: ["delete t[1] id=1 u='x' v=1", "insert t[3] id=3 u='X' v=1"]),
    Scenario(
      name: "on a UNIQUE generated column",
      schema: "t(id INTEGER PRIMARY KEY, a, g AS (a % 10) STORED UNIQUE)",
      before: "INSERT INTO t VALUES (1, 7)", sql: "REPLACE INTO t VALUES (2, 17)",
      lines: ["delete t[1] id=1 a=7 g=7", "insert t[2] id=2 a=17 g=7"]),
    Scenario(
      name: "on a UNIQUE virtual column",
      schema: "t(id INTEGER PRIMARY KEY, a, g AS (a % 10) VIRTUAL UNIQUE)",
      before: "INSERT INTO t VALUES (1, 7)", sql: "REPLACE INTO t VALUES (2, 17)",
      lines: ["delete t[1] id=1 a=7 g=7", "insert t[2] id=2 a=17 g=7"]),
    Scenario(
      name: "by a default in the place of NULL (fact 47)",
      schema: "t(id INTEGER PRIMARY KEY, u NOT NULL DEFAULT 'd' UNIQUE)",
      before: "INSERT INTO t VALUES (1, 'd')", sql: "REPLACE INTO t VALUES (2, NULL)",
      lines: ["delete t[1] id=1 u='d'", "insert t[2] id=2 u='d'"]),
    Scenario(
      name: "by the conflict clause of the schema",
      schema: "t(id INTEGER PRIMARY KEY ON CONFLICT REPLACE, u UNIQUE ON CONFLICT REPLACE)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "INSERT INTO t VALUES (2, 'x')",
      lines: ["delete t[1] id=1 u='x'", "insert t[2] id=2 u='x'"]),
    Scenario(
      name: "by an update of the key", schema: "t(id INTEGER PRIMARY KEY, a)",
      before: "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
      sql: "UPDATE OR REPLACE t SET id = 2 WHERE id = 1",
      lines: ["delete t[2] id=2 a='y'", "update t[1] id=1>2"]),
    Scenario(
      name: "by an update of a UNIQUE column", schema: "t(id INTEGER PRIMARY KEY, u UNIQUE)",
      before: "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
      sql: "UPDATE OR REPLACE t SET u = 'y' WHERE id = 1",
      lines: ["delete t[2] id=2 u='y'", "update t[1] u='x'>'y'"]),
    Scenario(
      name: "by an update of WITHOUT ROWID",
      schema: "t(k TEXT PRIMARY KEY, u UNIQUE) WITHOUT ROWID",
      before: "INSERT INTO t VALUES ('p', 1), ('q', 2)",
      sql: "UPDATE OR REPLACE t SET k = 'q' WHERE k = 'p'",
      lines: ["delete t['q'] k='q' u=2", "update t['p'] k='p'>'q'"]),
    Scenario(
      name: "of a rowid without a key", schema: "t(a)",
      before: "INSERT INTO t(rowid, a) VALUES (1, 'x')",
      sql: "REPLACE INTO t(rowid, a) VALUES (1, 'y')",
      lines: ["delete t[1] a='x'", "insert t[1] a='y'"]),
    Scenario(
      name: "by INSERT … SELECT of itself", schema: "t(id INTEGER PRIMARY KEY, u UNIQUE)",
      before: "INSERT INTO t VALUES (1, 'x')", sql: "REPLACE INTO t SELECT 5, u FROM t",
      lines: ["delete t[1] id=1 u='x'", "insert t[5] id=5 u='x'"]),
  ]

  @Test("what was displaced is deleted before what displaced it", arguments: scenarios, settings)
  func displaced(scenario: Scenario, settings: String) throws {
    let probe = try CaptureProbe("CREATE TABLE \(scenario.schema)", settings: settings)
    try probe.connection.execute(scenario.before)
    #expect(try probe.run(scenario.sql) == scenario.lines)
  }

  @Test("the same without times", arguments: scenarios)
  func withoutTimes(scenario: Scenario) throws {
    let probe = try CaptureProbe("CREATE TABLE \(scenario.schema)", omitsTimes: true)
    try probe.connection.execute(scenario.before)
    #expect(try probe.run(scenario.sql) == scenario.lines)
  }

  @Test("with keys the keys of what was displaced", arguments: scenarios)
  func keysOnly(scenario: Scenario) throws {
    let probe = try CaptureProbe("CREATE TABLE \(scenario.schema)", .keys)
    try probe.connection.execute(scenario.before)
    let lines = try probe.run(scenario.sql)
    let keys = Set(lines.map { $0.split(separator: " ")[1] })
    for line in scenario.lines { #expect(keys.contains(line.split(separator: " ")[1]), "\(lines)") }
  }

  @Test("one insert may displace several rows", arguments: settings)
  func several(settings: String) throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, v UNIQUE)", settings: settings)
    try probe.connection.execute("INSERT INTO t VALUES (1, 'a', 'b'), (2, 'c', 'd'), (3, 'e', 'f')")
    let lines = try probe.run("REPLACE INTO t VALUES (1, 'c', 'f')")
    #expect(lines.count == 4)
    #expect(
      Set(lines.dropLast()) == [
        "delete t[1] id=1 u='a' v='b'", "delete t[2] id=2 u='c' v='d'",
        "delete t[3] id=3 u='e' v='f'",
      ])
    #expect(lines.last == "insert t[1] id=1 u='c' v='f'")
  }

  @Test("many rows of one statement displace many", arguments: settings)
  func many(settings: String) throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE)", settings: settings)
    try probe.connection.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO t SELECT i, 51 - i FROM n
      """)
    _ = try probe.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      REPLACE INTO t SELECT i, i FROM n
      """)
    _ = try probe.run("UPDATE OR REPLACE t SET u = u / 2")
    _ = try probe.run("UPDATE OR REPLACE t SET id = id % 7")
  }
}
