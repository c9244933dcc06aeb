import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("Read query")
struct ReadQueryTests {
  private let store: TemporaryStore
  private let writer: Connection

  init() throws {
    store = try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT COLLATE NOCASE, b);
        CREATE TABLE u(k TEXT PRIMARY KEY, b);
        CREATE TABLE other(id INTEGER PRIMARY KEY, b);
        CREATE VIEW v AS SELECT id, a FROM t WHERE b > 0;
        CREATE VIEW w AS SELECT count(*) AS n FROM v;
        CREATE VIEW leak AS SELECT id FROM other;
        CREATE VIRTUAL TABLE f USING fts5(body);
        INSERT INTO t VALUES (1, 'b', 1), (2, 'a', 1), (3, 'A', 0);
        """)
    try store.track("t", "u")
    writer = try store.connection()
  }

  private func rows(
    _ sql: String, _ arguments: QueryArguments = QueryArguments(), key: [String] = []
  ) throws -> [[StoredValue]] {
    try ReadQuery(sql, arguments: arguments, key: key, on: store.opened()).rows().rows.map(\.values)
  }

  private func error(
    _ sql: String, _ arguments: QueryArguments = QueryArguments(), key: [String] = [],
    section: String? = nil
  ) -> HistoryError? {
    #expect(throws: HistoryError.self) {
      try ReadQuery(sql, arguments: arguments, key: key, section: section, on: store.opened())
    }
  }

  @Test(
    "what does not only read is refused, and done in no part",
    arguments: [
      "DELETE FROM t", "INSERT INTO t(a) VALUES ('x') RETURNING id", "SELECT 1; SELECT 2",
      "SELECT 1; DELETE FROM t", "SELECT 1; SELEKT", "", " -- nothing", ";", "SELEKT 1",
      "CREATE TABLE x(y)", "PRAGMA user_version = 7", "PRAGMA user_version", "EXPLAIN SELECT 1",
      "EXPLAIN QUERY PLAN SELECT 1", "ATTACH ':memory:' AS x", "VACUUM", "BEGIN", "SAVEPOINT p",
      "WITH x AS (SELECT 1) DELETE FROM t", "WITH x(i) AS (SELECT 1) INSERT INTO t(id) SELECT 9",
      "REINDEX", "ANALYZE", "PRAGMA foreign_keys = ON", "DETACH main",
    ])
  func notReading(sql: String) throws {
    #expect(error(sql)?.code == .usage)
    #expect(
      try writer.row("SELECT count(*), (SELECT user_version FROM pragma_user_version) FROM t")
        == [3, 0])
  }

  @Test("a word that begins no statement is told as SQLite does")
  func misspelt() {
    #expect(error("selec 1")?.message == "the query is no SQL: near \"selec\": syntax error")
    #expect(error("DELETE FROM t")?.message.contains("only reads") == true)
  }

  @Test(
    "what SQLite does not take failed, with its words",
    arguments: [
      ("SELECT x FROM t", "no such column: x"), ("SELECT * FROM gone", "no such table: gone"),
      ("SELECT a FROM t WHERE", "incomplete input"),
    ])
  func wrong(sql: String, message: String) {
    let error = error(sql)
    #expect(error?.code == .statementFailed)
    #expect(error?.message == "the query failed: \(message)")
  }

  @Test("what fails while it runs failed, and it can be run again")
  func failing() throws {
    let query = try ReadQuery(
      "SELECT abs(b) FROM t WHERE b IS NOT 1", on: store.opened())
    try writer.run("UPDATE t SET b = -9223372036854775808 WHERE id = 3")
    #expect(throws: HistoryError.self) { try query.rows() }
    try writer.run("UPDATE t SET b = -3 WHERE id = 3")
    #expect(try query.rows().rows.map(\.values) == [[3]])
  }

  @Test(
    "what is not tracked may not be read, however it is come by",
    arguments: [
      ("SELECT * FROM other", "other"), ("SELECT count(*) FROM OTHER", "OTHER"),
      ("SELECT id FROM leak", "other"),
      ("SELECT a FROM t WHERE id IN (SELECT id FROM other)", "other"),
      ("SELECT a FROM t JOIN other USING (id)", "other"),
      ("SELECT a FROM t NATURAL JOIN other", "other"),
      ("SELECT 1 FROM u NATURAL JOIN other", "other"),
      ("SELECT a FROM t LEFT JOIN other o USING (b)", "other"),
      ("WITH x AS (SELECT * FROM other) SELECT count(*) FROM x", "other"),
      ("SELECT body FROM f", "f"), ("SELECT count(*) FROM f", "f"),
      ("SELECT * FROM f_data", "f_data"),
      ("SELECT name FROM sqlite_schema", "sqlite_master"),
      ("SELECT count(*) FROM sqlite_temp_schema", "sqlite_temp_schema"),
      ("SELECT count(*) FROM temp.sqlite_schema", "sqlite_schema"),
      ("SELECT * FROM pragma_user_version", "pragma_user_version"),
      ("SELECT count(*) FROM pragma_table_list", "pragma_table_list"),
      ("SELECT * FROM _history_store", "_history_store"),
      ("SELECT count(*) FROM _history_change", "_history_change"),
      ("SELECT * FROM history_author", "history_author"),
    ])
  func untracked(sql: String, table: String) {
    let error = error(sql)
    #expect(error?.code == .notTracked)
    #expect(error?.message == "the query reads \(table), which is not tracked")
    #expect(error?.hint?.hasPrefix("track it with") == (table.lowercased() == "other"))
  }

  @Test(
    "names that WITH gives, and functions of nothing but their arguments, need not be tracked",
    arguments: [
      ("SELECT 1", [[1]]), ("VALUES (2), (1)", [[2], [1]]),
      ("SELECT value FROM json_each('[2,1]')", [[1], [2]]),
      ("SELECT count(*) FROM json_tree('[2,1]')", [[3]]),
      ("WITH x AS (SELECT id FROM t LIMIT 2) SELECT count(*) FROM x", [[2]]),
      (
        "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 3) SELECT i FROM c",
        [[1], [2], [3]]
      ),
      ("SELECT n FROM w", [[2]]),
    ] as [(String, [[StoredValue]])])
  func allowed(sql: String, expected: [[StoredValue]]) throws {
    #expect(try rows(sql) == expected)
  }

  @Test("a store without a history is not tracked")
  func noHistory() throws {
    let plain = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let error = #expect(throws: HistoryError.self) {
      try ReadQuery("SELECT 1", on: plain.opened())
    }
    #expect(error?.code == .notTracked)
  }

  @Test("rows without an order come in that of the key, or of all columns, by bytes")
  func order() throws {
    #expect(try rows("SELECT a FROM t") == [["A"], ["a"], ["b"]])
    #expect(
      try rows("SELECT a, id FROM t ORDER BY a DESC", key: ["id"]) == [
        ["b", 1], ["a", 2], ["A", 3],
      ])
    #expect(try rows("SELECT a FROM t LIMIT 1") == [["A"]])
    #expect(try rows("SELECT id FROM t ORDER BY b LIMIT 2 OFFSET 1;", key: ["ID"]) == [[1], [2]])
    #expect(try rows("SELECT DISTINCT b FROM t UNION SELECT id FROM t") == [[0], [1], [2], [3]])
    #expect(try rows("SELECT id FROM t UNION ALL VALUES (9)") == [[1], [2], [3], [9]])
  }

  @Test("repeated names are told apart")
  func names() throws {
    let query = try ReadQuery(
      "SELECT t.id, o.id, o.b FROM t JOIN t AS o ON o.id = t.id", key: ["id:1"], section: "B",
      on: store.opened())
    #expect(query.columns == ["id", "id:1", "b"])
    #expect(query.key == [1])
    #expect(query.section == 2)
  }

  @Test("unknown key and section columns are named, and those there are")
  func unknownColumns() {
    let error = error("SELECT a, id FROM t", key: ["b"])
    #expect(error?.code == .usage)
    #expect(error?.message == "the query has no column b")
    #expect(error?.hint == "its columns are: a, id")
    #expect(self.error("SELECT a FROM t", section: "x")?.code == .usage)
  }

  @Test("arguments go to their parameters, by name, by number and by place")
  func arguments() throws {
    #expect(
      try rows("SELECT :x, @y, $z, :x", ["x": 1, "@y": "a", "z": nil]) == [[1, "a", nil, 1]])
    #expect(try rows("SELECT ?, ?", [1, 2.5]) == [[1, 2.5]])
    #expect(try rows("SELECT ?, ?", ["1": 1, "2": .blob([0])]) == [[1, .blob([0])]])
    #expect(try rows("SELECT ?, :x", QueryArguments([1], named: ["x": 2])) == [[1, 2]])
    #expect(
      try rows("SELECT id FROM t WHERE a = :what AND b = :b", ["what": "B", "b": 1]) == [[1]])
  }

  @Test("an argument without a parameter, and a parameter without one, are refused by name")
  func wrongArguments() {
    #expect(error("SELECT :x", ["y": 4711])?.message == "the query has no parameter y")
    #expect(error("SELECT :x", ["y": 4711])?.hint == "its parameters are: :x")
    #expect(
      error("SELECT 1", ["y": 4711])?.hint == "it has no parameters; they are written as :name")
    #expect(error("SELECT :x, :y", ["y": 1])?.message == "the query's parameter :x has no value")
    #expect(error("SELECT ?, ?", [1])?.message == "the query's parameter 2 has no value")
    #expect(
      error("SELECT ?", [1, 2])?.message == "the query has 1 parameters, and 2 values were given")
    #expect(error("SELECT ?", [1, 2])?.code == .usage)
  }

  @Test("rows and position are of one moment, and values are exact")
  func moment() throws {
    let tracked = try store.opened()
    let query = try ReadQuery("SELECT b FROM t WHERE id = 9", on: tracked)
    #expect(try query.rows().rows.isEmpty)
    for value: StoredValue in [.real(-0.0), .malformedText([0xff]), .integer(.min), .blob([])] {
      try writer.run("INSERT OR REPLACE INTO t VALUES (9, 'x', ?)", value)
      let (rows, token) = try query.rows()
      #expect(rows.map(\.values) == [[value]])
      #expect(try token == tracked.state().head)
    }
    #expect(try !store.connection().hasBusyStatement)
  }
}
