import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// What makes a statement keep a journal of its own slows bulk writes down twofold (fact 53).
@Suite("Statement journals under capture")
struct StatementJournalTests {
  @Test(
    "without times a bulk statement keeps none",
    arguments: [
      "INSERT INTO t(a, b) SELECT i, i FROM n", "UPDATE t SET a = a + 1", "DELETE FROM t",
    ], [Capture.keys, .changes])
  func none(sql: String, capture: Capture) throws {
    #expect(try journals(sql, capture, omitsTimes: true, "a, b TEXT") == 0)
  }

  @Test("with times it does, so the measure measures")
  func some() throws {
    #expect(try journals("UPDATE t SET a = a + 1", .changes, omitsTimes: false, "a, b TEXT") == 1)
  }

  private func journals(
    _ sql: String, _ capture: Capture, omitsTimes: Bool, _ columns: String
  ) throws -> Int {
    let clock = ClockVFS(now: 0)
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, \(columns));
        CREATE VIEW n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
          WHERE i < 20000) SELECT i FROM n;
        INSERT INTO t(a, b) SELECT i, i FROM n;
        """)
    try store.track(capture: capture, omitsTimes: omitsTimes)
    let connection = try store.connection(vfs: clock.name)
    try connection.execute("BEGIN; \(sql); COMMIT")
    return clock.statementJournals
  }
}
