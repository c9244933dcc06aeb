import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("Query scope")
struct QueryScopeTests {
  private let store: TemporaryStore
  private let writer: Connection

  init() throws {
    store = try TemporaryStore(
      sql: """
        CREATE TABLE T(Id INTEGER PRIMARY KEY, a, b, g AS (a || b));
        CREATE TABLE u(k TEXT PRIMARY KEY, b);
        CREATE TABLE nokey(x);
        CREATE VIEW v AS SELECT id, a FROM t WHERE b > 0;
        CREATE VIEW byname AS SELECT a FROM t JOIN u USING (b);
        """)
    try store.track()
    writer = try store.connection()
  }

  private func query(_ sql: String, _ arguments: QueryArguments = QueryArguments()) throws
    -> ReadQuery
  {
    try ReadQuery(sql, arguments: arguments, on: store.opened())
  }

  /// What each table's updates must touch: `t[a,b] u[]`.
  private func columns(_ sql: String) throws -> String {
    let interest = try query(sql).interest
    guard case .byTable(let columns) = interest.columns else { return "any" }
    return columns.sorted { $0.key < $1.key }
      .map { "\($0)[\($1.sorted().joined(separator: ","))]" }.joined(separator: " ")
  }

  @Test(
    "an update matters when it touches a column that the query names anywhere",
    arguments: [
      ("SELECT a FROM t", "t[a]"), ("SELECT a FROM t WHERE b > 1 ORDER BY id", "t[a,b,id]"),
      ("SELECT count(*) FROM t", "t[]"), ("SELECT rowid FROM t", "t[id]"),
      ("SELECT * FROM t", "t[a,b,g,id]"), ("SELECT g FROM t", "t[g]"),
      ("SELECT id FROM v", "t[a,b,id]"), ("SELECT t.a FROM t, u", "t[a] u[]"),
      ("SELECT t.a FROM t JOIN u ON k = id", "t[a,id] u[k]"),
      ("SELECT (SELECT max(b) FROM u) FROM t GROUP BY a HAVING count(id) > 1", "t[a,id] u[b]"),
      ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)", "t[a] u[]"),
      ("SELECT x FROM nokey WHERE rowid = 1", "nokey[rowid,x]"), ("SELECT 1", ""),
      ("SELECT t.a FROM t JOIN u USING (b)", "any"), ("SELECT t.a FROM t NATURAL JOIN u", "any"),
      ("SELECT a FROM byname", "any"),
    ])
  func columns(sql: String, expected: String) throws {
    #expect(try columns(sql) == expected)
  }

  @Test("only changes of the tables that it reads matter; without a table none does")
  func tables() throws {
    let matches = { (sql: String) throws -> [Bool] in
      let filter = try query(sql).interest.filter
      return ["T", "u", "nokey"].map(filter.matches(table:))
    }
    #expect(try matches("SELECT * FROM t") == [true, false, false])
    #expect(try matches("SELECT 1 FROM t NATURAL JOIN u") == [true, true, false])
    #expect(try matches("SELECT a FROM byname") == [true, true, false])
    #expect(try matches("SELECT 1") == [false, false, false])
    #expect(
      try matches("WITH nokey AS (SELECT 1 AS x) SELECT x FROM nokey") == [false, false, false])
  }

  @Test("a query for one integer key hears of that row only")
  func rows() throws {
    #expect(try query("SELECT a FROM t WHERE id = 7 AND b = 1").interest.rows == ["t": 7])
    #expect(try query("SELECT a FROM t WHERE oid = :id", ["id": 8]).interest.rows == ["t": 8])
    #expect(try query("SELECT a FROM t WHERE id = ?", [9]).interest.rows == ["t": 9])
    #expect(try query("SELECT a FROM t WHERE id = :id", ["id": "8"]).interest.rows.isEmpty)
    #expect(try query("SELECT b FROM u WHERE k = 7").interest.rows.isEmpty)
    #expect(try query("SELECT id FROM v WHERE id = 7").interest.rows.isEmpty)
    #expect(try query("SELECT x FROM nokey WHERE rowid = 7").interest.rows.isEmpty)
    #expect(try query("SELECT b FROM u WHERE rowid = 7").interest.rows.isEmpty)
  }

  @Test("a rowid that is no key has no history, so the query must be run after every commit")
  func hiddenRowID() throws {
    #expect(try !query("SELECT rowid FROM u").isCaptureCurrent())
    #expect(try !query("SELECT k FROM u WHERE _rowid_ > 1").isCaptureCurrent())
    #expect(try query("SELECT rowid FROM nokey").isCaptureCurrent())
    #expect(try query("SELECT rowid FROM t").isCaptureCurrent())
  }

  @Test("columns are those that there are at each run")
  func columnsAdded() throws {
    let query = try query("SELECT * FROM t")
    #expect(try query.rows().rows.columns == ["Id", "a", "b", "g"])
    try writer.execute("ALTER TABLE t ADD COLUMN c DEFAULT 5; INSERT INTO t(id) VALUES (1)")
    #expect(try !query.isCaptureCurrent())
    #expect(try query.rows().rows.map(\.columns) == [["Id", "a", "b", "g", "c"]])
    // Capture does not know the column yet.
    #expect(try !query.isCaptureCurrent())
    try store.track()
    #expect(try !query.isCaptureCurrent())
    _ = try query.rows()
    #expect(try query.isCaptureCurrent())
    #expect(query.columns.last == "c")
  }

  @Test("a view that was made anew is read anew")
  func viewReplaced() throws {
    try writer.execute("INSERT INTO t(id, a, b) VALUES (1, 'x', 1); INSERT INTO u VALUES ('k', 1)")
    let query = try query("SELECT a FROM v")
    #expect(try query.rows().rows.map(\.values) == [["x"]])
    try writer.execute("DROP VIEW v; CREATE VIEW v AS SELECT k AS a FROM u")
    #expect(try !query.isCaptureCurrent())
    #expect(try query.rows().rows.map(\.values) == [["k"]])
    #expect(try query.isCaptureCurrent())
    #expect(query.interest.filter.matches(table: "u") && !query.interest.filter.matches(table: "t"))
  }

  @Test("a table that was renamed is heard under both names until capture is renewed")
  func renamed() throws {
    try writer.execute("ALTER TABLE u RENAME TO w")
    let query = try query("SELECT b FROM w")
    #expect(query.interest.filter.matches(table: "u") && query.interest.filter.matches(table: "w"))
    #expect(try !query.isCaptureCurrent())
  }

  @Test("lost triggers make it blind until they are back, those of other tables do not")
  func drift() throws {
    let one = try query("SELECT a FROM t")
    let two = try query("SELECT b FROM u")
    let name = try writer.row(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'u' LIMIT 1")?[0].text
    try writer.execute("DROP TRIGGER \(Identifier.quoted(name ?? ""))")
    for query in [one, two] {
      #expect(try !query.isCaptureCurrent())
      _ = try query.rows()
    }
    #expect(try one.isCaptureCurrent())
    #expect(try !two.isCaptureCurrent())
    try store.track()
    for query in [one, two] {
      _ = try query.rows()
      #expect(try query.isCaptureCurrent())
    }
  }

  @Test("what the schema no longer allows fails at the next run, and works once it is back")
  func broken() throws {
    let query = try query("SELECT b FROM u")
    _ = try Untracker(store.opened()).untrack(["u"])
    #expect(#expect(throws: HistoryError.self) { try query.rows() }?.code == .notTracked)
    try writer.execute("ALTER TABLE u RENAME TO w")
    #expect(#expect(throws: HistoryError.self) { try query.rows() }?.code == .statementFailed)
    try writer.execute("ALTER TABLE w RENAME TO u")
    try store.track("u")
    #expect(try query.rows().rows.isEmpty)
    #expect(try query.isCaptureCurrent())
  }
}
