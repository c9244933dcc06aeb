import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: what a query reads")
struct QueryFacts {
  private let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); CREATE TABLE u(id INTEGER PRIMARY KEY, b);
      CREATE VIEW v AS SELECT a FROM t;
      """)
  }

  /// What the authorizer is asked about: `t.a`, and `t.` for a table without a column.
  private func reads(_ sql: String) throws -> [String] {
    final class Log { var lines: Set<String> = [] }
    let log = Log()
    connection.setAuthorizer {
      if $0.code == .read { log.lines.insert("\($0.first ?? "").\($0.second ?? "")") }
      return .allow
    }
    defer { connection.setAuthorizer(nil) }
    _ = try connection.prepare(sql)
    return log.lines.sorted()
  }

  @Test("fact 59: the authorizer is asked about every column that is named, through views too")
  func named() throws {
    #expect(try reads("SELECT a FROM t WHERE b = 1 ORDER BY id") == ["t.a", "t.b", "t.id"])
    #expect(try reads("SELECT * FROM v") == ["t.a", "v.a"])
    #expect(try reads("SELECT count(*) FROM T") == ["T."])
    #expect(try reads("SELECT rowid FROM t").contains("t.id"))
  }

  @Test(
    "fact 59: not about the columns by which USING and NATURAL join, nor of a table otherwise unused"
  )
  func joinedByName() throws {
    #expect(try reads("SELECT a FROM t JOIN u USING (b)") == ["t.a"])
    #expect(try reads("SELECT a FROM t NATURAL JOIN u") == ["t.a"])
    #expect(try reads("SELECT 1 FROM t NATURAL JOIN u") == [])
  }

  @Test("fact 59: EXPLAIN tells the page of every table or index that is opened")
  func opened() throws {
    let roots = try connection.rows("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
    let program = try connection.rows("EXPLAIN SELECT 1 FROM t NATURAL JOIN u")
    let opened = program.filter { $0[1] == "OpenRead" && $0[4] == 0 }.map { $0[3] }
    #expect(Set(opened) == Set(roots.map { $0[0] }))
  }

  @Test(
    "fact 60: a number in ORDER BY means a column also with a COLLATE after it, in a compound too")
  func numberedOrder() throws {
    try connection.execute(
      "CREATE TABLE c(x TEXT COLLATE NOCASE); INSERT INTO c VALUES ('b'), ('a'), ('A'), ('B')")
    #expect(
      try connection.rows("SELECT 0, x FROM c ORDER BY 1, 2 COLLATE BINARY").map { $0[1] }
        == ["A", "B", "a", "b"])
    #expect(
      try connection.rows("SELECT x FROM c UNION ALL SELECT 'a' ORDER BY 1 COLLATE BINARY").map {
        $0[0]
      } == ["A", "B", "a", "a", "b"])
  }
}
