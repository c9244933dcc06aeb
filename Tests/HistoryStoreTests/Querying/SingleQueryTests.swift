import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("A query that is run once")
struct SingleQueryTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore(
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, 'z', 1), (2, 'y', 1)"
    )
  }

  private func read(
    _ sql: String, _ arguments: QueryArguments = []
  ) throws -> (rows: [[StoredValue]], token: HistoryToken?) {
    try store.opened().readEvenUntracked { connection, token in
      let rows = try SingleQuery(sql, arguments: arguments).rows(on: connection)
      return (rows.map { row in rows.columns.indices.map { row[$0] } }, token)
    }
  }

  @Test("it reads tables that are not tracked, and says where in the history it stands")
  func tracked() throws {
    #expect(try read("SELECT id FROM t").token == nil)
    try store.track("t")
    try store.connection().execute("CREATE TABLE other(x); INSERT INTO other VALUES (5)")
    let (rows, token) = try read("SELECT x FROM other")
    #expect(rows == [[5]])
    #expect(try token == store.opened().state().head)
  }

  @Test("rows that are tied come in the order of their values")
  func order() throws {
    #expect(try read("SELECT a FROM t").rows == [["y"], ["z"]])
    #expect(try read("SELECT b, a FROM t ORDER BY b").rows == [[1, "y"], [1, "z"]])
    #expect(try read("SELECT a FROM t ORDER BY id").rows == [["z"], ["y"]])
    #expect(try read("SELECT a FROM t WHERE id = ?", [2]).rows == [["y"]])
  }

  @Test(
    "what is not one statement that reads is refused",
    arguments: [
      "", "SELECT 1; SELECT 2", "DELETE FROM t", "PRAGMA user_version", "ATTACH 'x' AS y",
      "INSERT INTO t(a) VALUES (1) RETURNING id", "WITH x AS (SELECT 1) DELETE FROM t", "SELECT ?",
    ])
  func refused(sql: String) throws {
    let error = #expect(throws: HistoryError.self) { try read(sql) }
    #expect(error?.code == .usage)
    #expect(try read("SELECT count(*) FROM t").rows == [[2]])
  }
}
