import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Capture of every key shape")
struct KeyShapeTests {
  /// A table of two key columns at most, `a` and `b`, and the value columns `x` and `y`.
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    let sql: String
    /// The key of row `(a, b)` as lines show it.
    let key: @Sendable (Int, String) -> String
    var isKeyedByRowID = false
    var testDescription: String { name }
  }

  static let shapes = [
    Shape(name: "INTEGER PRIMARY KEY", sql: "t(a INTEGER PRIMARY KEY, b TEXT, x, y)") { a, _ in
      "\(a)"
    },
    Shape(name: "TEXT", sql: "t(a, b TEXT PRIMARY KEY, x, y)") { _, b in "'\(b)'" },
    Shape(name: "composite", sql: "t(a INT, b TEXT, x, y, PRIMARY KEY(b, a))") { a, b in
      "'\(b)',\(a)"
    },
    Shape(name: "WITHOUT ROWID", sql: "t(a INT, b TEXT, x, y, PRIMARY KEY(b, a)) WITHOUT ROWID") {
      a, b in "'\(b)',\(a)"
    },
    Shape(
      name: "none", sql: "t(a INT, b TEXT, x, y)", key: { a, _ in "\(a)" }, isKeyedByRowID: true),
    Shape(name: "DESC", sql: "t(a INTEGER PRIMARY KEY DESC, b TEXT, x, y)") { a, _ in "\(a)" },
    Shape(
      name: "rowid names hidden", sql: "t(a INTEGER PRIMARY KEY, b TEXT, x, y, rowid, oid, _rowid_)"
    ) { a, _ in "\(a)" },
    Shape(
      name: "text key, rowid names hidden",
      sql: "t(a, b TEXT PRIMARY KEY, x, y, rowid, oid, _rowid_)"
    ) { _, b in "'\(b)'" },
    Shape(name: "STRICT", sql: "t(a INTEGER PRIMARY KEY, b TEXT, x ANY, y ANY) STRICT") { a, _ in
      "\(a)"
    },
  ]

  @Test("insert, update and delete read back exactly", arguments: shapes, Capture.allCases)
  func readBack(shape: Shape, capture: Capture) throws {
    let probe = try CaptureProbe("CREATE TABLE \(shape.sql)", capture)
    let extra = shape.sql.contains("oid, _rowid_") ? " rowid=NULL oid=NULL _rowid_=NULL" : ""
    let key = shape.key(1, "p")
    let row = { (x: String, y: String) in
      capture == .keys ? "" : " a=1 b='p' x=\(x) y=\(y)\(extra)"
    }
    #expect(
      try probe.run("INSERT INTO t(a, b, x, y) VALUES (1, 'p', 1.5, x'00ff')")
        == ["insert t[\(key)]\(row("1.5", "x'00ff'"))"])
    let updated =
      switch capture {
      case .keys: ""
      case .changes: " x=1.5>NULL"
      case .full: " a=1 b='p' x=1.5>NULL y=x'00ff'\(extra)"
      }
    #expect(try probe.run("UPDATE t SET x = NULL") == ["update t[\(key)]\(updated)"])
    #expect(
      try probe.run("DELETE FROM t") == ["delete t[\(key)]\(row("NULL", "x'00ff'"))"])
  }

  @Test("an update that changes nothing shows with keys only", arguments: shapes, Capture.allCases)
  func nothingChanged(shape: Shape, capture: Capture) throws {
    let probe = try CaptureProbe("CREATE TABLE \(shape.sql)", capture)
    try probe.connection.execute("INSERT INTO t(a, b, x, y) VALUES (1, 'p', 0, -0.0)")
    let lines = try probe.run("UPDATE t SET a = a, b = b, x = x, y = y")
    #expect(lines == (capture == .keys ? ["update t[\(shape.key(1, "p"))]"] : []))
  }

  @Test("a change of the key is one update, with keys a delete and an insert", arguments: shapes)
  func keyChange(shape: Shape) throws {
    for capture in Capture.allCases where !shape.isKeyedByRowID {
      let probe = try CaptureProbe("CREATE TABLE \(shape.sql)", capture)
      try probe.connection.execute("INSERT INTO t(a, b, x, y) VALUES (1, 'p', 2, 3)")
      let lines = try probe.run("UPDATE t SET a = 5, b = 'q'")
      let old = shape.key(1, "p")
      let new = shape.key(5, "q")
      switch capture {
      case .keys: #expect(lines == ["delete t[\(old)]", "insert t[\(new)]"])
      case .changes: #expect(lines == ["update t[\(old)] a=1>5 b='p'>'q'"])
      case .full:
        #expect(lines.first?.hasPrefix("update t[\(old)] a=1>5 b='p'>'q' x=2 y=3") == true)
      }
    }
  }

  @Test("an update of the rowid itself is a delete and an insert", arguments: Capture.allCases)
  func renumbered(capture: Capture) throws {
    let probe = try CaptureProbe("CREATE TABLE t(a, b)", capture)
    try probe.connection.execute("INSERT INTO t VALUES (1, 2)")
    let image = capture == .keys ? "" : " a=1 b=2"
    #expect(
      try probe.run("UPDATE t SET rowid = 9")
        == ["delete t[1]\(image)", "insert t[9]\(image)"])
  }

  @Test("a table with a column called rowid is keyed by the real one")
  func columnCalledRowID() throws {
    let probe = try CaptureProbe("CREATE TABLE t(rowid TEXT, a)")
    #expect(
      try probe.run("INSERT INTO t(_rowid_, rowid, a) VALUES (7, 'r', 1)")
        == ["insert t[7] rowid='r' a=1"])
    #expect(try probe.connection.rows("SELECT _rowid_ FROM t") == [[7]])
  }

  @Test("NULL in a key is shown as it is")
  func nullInKey() throws {
    let probe = try CaptureProbe("CREATE TABLE t(a TEXT PRIMARY KEY, b)")
    #expect(try probe.run("INSERT INTO t VALUES (NULL, 1)") == ["insert t[NULL] a=NULL b=1"])
    #expect(try probe.run("UPDATE t SET b = 2") == ["update t[NULL] b=1>2"])
    #expect(try probe.run("DELETE FROM t") == ["delete t[NULL] a=NULL b=2"])
  }

  @Test("key columns and values of every storage class come back to the bit", arguments: shapes)
  func exactValues(shape: Shape) throws {
    let probe = try CaptureProbe("CREATE TABLE \(shape.sql)")
    let values = [
      "NULL", "-9223372036854775808", "9223372036854775807", "9007199254740993", "-0.0", "0.0",
      "9e999", "-9e999", "5e-324", "0.1 + 0.2", "''", "'a' || char(0) || 'b'", "x''", "x'00'",
      "CAST(x'ff' AS TEXT)", "CAST(x'eda080' AS TEXT)", "char(65535)", "'é'", "'e' || char(769)",
    ]
    for (number, value) in values.enumerated() {
      _ = try probe.run(
        "INSERT INTO t(a, b, x, y) VALUES (\(number), 'k\(number)', \(value), \(value))")
    }
    // Each value becomes the next one, so every pair of neighbours is a change.
    for value in values { _ = try probe.run("UPDATE t SET x = \(value)") }
    #expect(try probe.run("DELETE FROM t").count == values.count)
  }

  @Test("an untyped column tells 0.0 from -0.0 from 0, and 1 from 1.0 from '1'")
  func untyped() throws {
    let probe = try CaptureProbe("CREATE TABLE t(id INTEGER PRIMARY KEY, x)")
    try probe.connection.execute("INSERT INTO t VALUES (1, 0)")
    let steps = ["0.0", "-0.0", "0", "-0.0", "0.0", "1", "1.0", "'1'", "x'31'", "NULL"]
    var last = "0"
    for step in steps {
      #expect(try probe.run("UPDATE t SET x = \(step)") == ["update t[1] x=\(last)>\(step)"])
      last = step
    }
  }

  @Test("the same, without times, where no function may be called")
  func untypedWithoutTimes() throws {
    let probe = try CaptureProbe("CREATE TABLE t(id INTEGER PRIMARY KEY, x)", omitsTimes: true)
    try probe.connection.execute("INSERT INTO t VALUES (1, 0)")
    for step in ["0.0", "-0.0", "0", "1", "1.0", "'1'", "x'31'", "'1'", "1", "NULL"] {
      #expect(try probe.run("UPDATE t SET x = \(step)").count == 1, "\(step)")
    }
  }

  @Test("letter case is a change in a NOCASE column")
  func noCase() throws {
    let probe = try CaptureProbe(
      "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, x TEXT COLLATE RTRIM)")
    try probe.connection.execute("INSERT INTO t VALUES ('a', 'b')")
    #expect(try probe.run("UPDATE t SET k = 'A'") == ["update t['a'] k='a'>'A'"])
    #expect(try probe.run("UPDATE t SET x = 'b  '") == ["update t['A'] x='b'>'b  '"])
  }

  @Test("a REAL column's integers are reals, an integer that it cannot hold exactly too")
  func reals() throws {
    let probe = try CaptureProbe(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, r REAL, n NUMERIC,
        g REAL GENERATED ALWAYS AS (id + 1) VIRTUAL, s REAL AS (id) STORED, v REAL AS (n))
      """)
    #expect(
      try probe.run("INSERT INTO t(id, r, n) VALUES (1, 3, 3.0)")
        == ["insert t[1] id=1 r=3.0 n=3 g=2.0 s=1.0 v=3.0"])
    #expect(
      try probe.run("UPDATE t SET r = 9007199254740993")
        == ["update t[1] r=3.0>9007199254740992.0"])
    // The displaced row goes through a SELECT, which copies such a column as an integer (fact 51).
    #expect(
      try probe.run("REPLACE INTO t(id) VALUES (1)").first
        == "delete t[1] id=1 r=9007199254740992.0 n=3 g=2.0 s=1.0 v=3.0")
  }
}
