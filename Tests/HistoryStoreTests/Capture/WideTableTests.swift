import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Images wider than one row of history go on in further rows.
@Suite("Capture of wide tables")
struct WideTableTests {
  /// A table with so many columns, `id` and those after it.
  private static func table(_ columns: Int, references: String = "") -> String {
    let names = (1..<columns).map { "c\($0)" }.joined(separator: ",")
    return "CREATE TABLE t(id INTEGER PRIMARY KEY,\(names)\(references))"
  }

  @Test(
    "insert, update, delete and REPLACE are exact", arguments: [15, 16, 17, 31, 32, 33, 200],
    Capture.allCases)
  func exact(columns: Int, capture: Capture) throws {
    let probe = try CaptureProbe(Self.table(columns), capture)
    let values = { (id: Int, from: Int) in
      "(\(id)," + (1..<columns).map { "\($0 + from)" }.joined(separator: ",") + ")"
    }
    let insert = try probe.run("INSERT INTO t VALUES \(values(1, 0)), \(values(2, 1000))")
    #expect(insert.count == 2)
    if capture != .keys { #expect(insert[1].hasSuffix("c\(columns - 1)=\(columns + 999)")) }
    let update = try probe.run("UPDATE t SET c1 = 'first', c\(columns - 1) = 'last' WHERE id = 1")
    if capture == .changes {
      #expect(update == ["update t[1] c1=1>'first' c\(columns - 1)=\(columns - 1)>'last'"])
    }
    #expect(
      try probe.run("REPLACE INTO t VALUES \(values(1, 5)), \(values(2, 6)), \(values(3, 7))").count
        == 5)
    #expect(try probe.run("UPDATE OR REPLACE t SET id = 2 WHERE id = 1").count >= 2)
    #expect(try probe.run("DELETE FROM t").count == 2)
  }

  @Test("several wide rows that one insert displaces do not mix")
  func severalDisplaced() throws {
    let columns = (0..<40).map { "c\($0)" }.joined(separator: ",")
    let probe = try CaptureProbe(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, v UNIQUE, \(columns))",
      settings: "PRAGMA reverse_unordered_selects = ON")
    for id in 1...3 {
      let values = (0..<40).map { "\($0 * 10 + id)" }.joined(separator: ",")
      try probe.connection.execute("INSERT INTO t VALUES (\(id), 'u\(id)', 'v\(id)', \(values))")
    }
    #expect(try probe.run("REPLACE INTO t(id, u, v) VALUES (1, 'u2', 'v3')").count == 4)
  }

  @Test("wide rows without times, and keyed by their rowid")
  func variants() throws {
    let columns = (0..<60).map { "c\($0)" }.joined(separator: ",")
    for omitsTimes in [false, true] {
      let probe = try CaptureProbe("CREATE TABLE t(\(columns))", omitsTimes: omitsTimes)
      #expect(try probe.run("INSERT INTO t(c0, c59) VALUES (1, 2)").count == 1)
      #expect(try probe.run("UPDATE t SET c59 = 3") == ["update t[1] c59=2>3"])
      #expect(try probe.run("UPDATE t SET rowid = 5").count == 2)
      #expect(try probe.run("REPLACE INTO t(rowid, c1) VALUES (5, 1)").count == 2)
      #expect(try probe.run("DELETE FROM t").count == 1)
    }
  }

  @Test("a token is never inside a wide change")
  func tokens() throws {
    let probe = try CaptureProbe(Self.table(100))
    try probe.connection.execute("INSERT INTO t(id) VALUES (1), (2), (3)")
    let store = try probe.store.opened()
    for page in 1...3 {
      let recorder = try HistoryRecorder(store, after: store.state().oldest)
      try recorder.read(pagesOf: page)
      #expect(recorder.lines.count == 3)
    }
  }

  @Test("the widest table that can be captured is")
  func widest() throws {
    let limit = 1997
    let probe = try CaptureProbe(Self.table(limit))
    let last = "c\(limit - 1)"
    #expect(try probe.run("INSERT INTO t(id, \(last)) VALUES (1, 2)").count == 1)
    #expect(try probe.run("UPDATE t SET \(last) = 3") == ["update t[1] \(last)=2>3"])
    #expect(try probe.run("REPLACE INTO t(id, \(last)) VALUES (1, 4)").count == 2)
    #expect(try probe.run("DELETE FROM t").count == 1)
  }

  @Test("one column more is refused, with keys it is not")
  func tooWide() throws {
    let store = try TemporaryStore(sql: Self.table(1998) + "; CREATE TABLE other(x)")
    let error = #expect(throws: HistoryError.self) { try store.track() }
    #expect(error?.code == .untrackable)
    #expect(error?.message.contains("1997") == true)
    // Nothing was left behind.
    #expect(try store.connection().row("SELECT count(*) FROM sqlite_schema") == [2])
    #expect(try store.track("other").begun == ["other"])
    #expect(try store.track("t", capture: .keys).begun == ["t"])
    try store.connection().execute("INSERT INTO t(id) VALUES (1); REPLACE INTO t(id) VALUES (1)")
    #expect(try store.recorded().lines == ["insert t[1]", "delete t[1]", "insert t[1]"])
  }

  @Test("half as wide where a key change of its own rows is stashed twice")
  func cascading() throws {
    let references = ", FOREIGN KEY(c1) REFERENCES t(id) ON UPDATE CASCADE"
    let probe = try CaptureProbe(
      Self.table(998, references: references), settings: "PRAGMA foreign_keys = ON")
    try probe.connection.execute("INSERT INTO t(id, c1) VALUES (1, NULL), (2, 1)")
    #expect(
      try probe.run("UPDATE t SET id = 5, c997 = 1 WHERE id = 1")
        == ["update t[1] id=1>5 c997=NULL>1", "update t[2] c1=1>5"])
    let store = try TemporaryStore(sql: Self.table(999, references: references))
    let error = #expect(throws: HistoryError.self) { try store.track() }
    #expect(error?.code == .untrackable)
  }
}
