import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Whatever changes what a query gives is a change that it said would matter.
@Suite("Query scope at random")
struct QueryScopePropertyTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, u TEXT COLLATE NOCASE UNIQUE, p, x REAL, g AS (p || x));
    CREATE TABLE s(k TEXT, p, n, PRIMARY KEY(k, n)) WITHOUT ROWID;
    CREATE TABLE r(p, q UNIQUE);
    CREATE INDEX i ON t(p, x);
    CREATE VIEW v AS SELECT id, u, s.n FROM t JOIN s ON s.p = t.p WHERE x > 1;
    CREATE VIEW byname AS SELECT t.id FROM t NATURAL JOIN r;
    """

  private static let queries: [(sql: String, key: [String])] = [
    ("SELECT id, u, p FROM t ORDER BY p", ["id"]), ("SELECT * FROM t", ["id"]),
    ("SELECT * FROM s", []),
    ("SELECT * FROM r", []), ("SELECT rowid, q FROM r ORDER BY q DESC", ["rowid"]),
    ("SELECT count(*) FROM t", []), ("SELECT count(*), max(x) FROM t WHERE p IN (1, 2)", []),
    ("SELECT u FROM t WHERE id = 3", []), ("SELECT p, x FROM t WHERE 4 = t.id AND x > 1", []),
    ("SELECT x FROM t WHERE id = 5 ORDER BY x LIMIT 1", []), ("SELECT g FROM t", []),
    ("SELECT id FROM t WHERE u LIKE 'a%' LIMIT 2", ["id"]), ("SELECT DISTINCT u FROM t", ["u"]),
    ("SELECT * FROM v", []), ("SELECT count(*) FROM v", []), ("SELECT id FROM byname", []),
    ("SELECT t.id FROM t JOIN r USING (p)", []), ("SELECT 1 FROM s NATURAL JOIN r", []),
    ("SELECT x FROM t LEFT JOIN s USING (p)", []),
    ("SELECT id FROM t WHERE p IN (SELECT q FROM r)", ["id"]),
    ("SELECT n, max(n) OVER (ORDER BY n) FROM s", []),
    ("SELECT p FROM t UNION SELECT p FROM s EXCEPT SELECT q FROM r ORDER BY 1 DESC", []),
    ("WITH c AS (SELECT n FROM s LIMIT 3) SELECT count(*) FROM c", []),
    ("SELECT EXISTS (SELECT 1 FROM r WHERE q = 2)", []), ("SELECT 1", []),
  ]

  private static let tables = [
    RandomProgram.Table(
      name: "t", columns: ["id", "u", "p", "x"], targets: ["", "(id)"],
      domains: ["id": ["1", "2", "3", "4", "5", "6", "NULL"]]),
    RandomProgram.Table(name: "s", columns: ["k", "p", "n"], targets: ["", "(k, n)"]),
    RandomProgram.Table(name: "r", columns: ["p", "q"], targets: ["", "(q)"]),
  ]

  @Test(
    "after every transaction, under every capture", arguments: Capture.allCases, TestScale.seeds(2))
  func scope(capture: Capture, seed: UInt64) throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track(capture: capture)
    let connection = try store.connection()
    var program = RandomProgram(Self.tables, seed: seed)
    let tracked = try store.opened()
    let queries = try Self.queries.map {
      try Watched(ReadQuery($0.sql, key: $0.key, on: tracked), tracked.state().head)
    }
    let reader = try HistoryReader(tracked, after: tracked.state().head)
    var passedOver = 0
    var noticed = 0
    for _ in 0..<80 {
      try? connection.execute("BEGIN")
      for _ in 0..<program.number(1...3) { try? connection.execute(program.statement()) }
      try? connection.execute("COMMIT")
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      for query in queries { query.isConcerned = false }
      var state = ReadingState.more
      while state == .more {
        state = try reader.read { item in
          if case .change(let change, _, _) = item {
            for query in queries { query.meet(change, in: reader.values) }
          }
          return .goOn
        }
      }
      for (index, query) in queries.enumerated() {
        let sql = Self.queries[index].sql
        #expect(try query.query.isCaptureCurrent(), "\(sql)")
        let (rows, token) = try query.query.rows()
        let difference = ResultsDifference(from: query.rows, to: rows, key: query.query.key)
        #expect(difference.isEmpty == (rows == query.rows))
        #expect(difference.applied(to: query.rows) == rows)
        if rows != query.rows {
          #expect(query.isConcerned, "\(sql)")
          noticed += 1
        } else if !query.isConcerned, token != query.token {
          passedOver += 1
        }
        // The order that was added leaves out no row and adds none. Of equal values that are not
        // the same, which one stands for all is SQLite's choice.
        if !["LIMIT", "DISTINCT", "UNION"].contains(where: sql.contains) {
          let plain = try connection.rows(sql)
          #expect(Self.counts(plain) == Self.counts(rows.map(\.values)), "\(sql)")
        }
        query.rows = rows
        query.token = token
      }
    }
    #expect(noticed > 200 && passedOver > 200)
  }

  private static func counts(_ rows: [[StoredValue]]) -> [[StoredValue]: Int] {
    rows.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  /// A query with what it gave last.
  private final class Watched {
    let query: ReadQuery
    var rows: ResultRows
    var token: HistoryToken
    var isConcerned = false

    init(_ query: ReadQuery, _ token: HistoryToken) throws {
      self.query = query
      rows = try query.rows().rows
      self.token = token
    }

    func meet(_ change: RecordedChange, in values: CellBuffer) {
      let interest = query.interest
      if interest.matches(change, in: values, interest.scope(of: change.shape)) {
        isConcerned = true
      }
    }
  }
}
