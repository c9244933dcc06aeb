import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: statement journals")
struct StatementJournalFacts {
  @Test(
    "fact 53: an explicit key, NOT NULL, UNIQUE or a called function costs a statement journal",
    arguments: [
      ("n INTEGER PRIMARY KEY, x", "h VALUES (NEW.x, 1)"),
      ("n INTEGER PRIMARY KEY, x NOT NULL", "h(x) VALUES (NEW.x)"),
      ("n INTEGER PRIMARY KEY, x UNIQUE", "h(x) VALUES (NEW.x)"),
      ("n INTEGER PRIMARY KEY, x", "h(x) VALUES (abs(NEW.x))"),
      ("n INTEGER PRIMARY KEY, x", "h(x) VALUES (typeof(NEW.x))"),
    ])
  func costly(history: String, body: String) throws {
    #expect(try journals(history: history, body: body) == 1)
  }

  @Test(
    "fact 53: without them, and with what SQLite inlines, there is none",
    arguments: ["h(x) VALUES (NEW.x)", "h(x) VALUES (coalesce(NEW.x, OLD.x) IS NOT OLD.x)"])
  func free(body: String) throws {
    #expect(try journals(history: "n INTEGER PRIMARY KEY, x", body: body) == 0)
  }

  @Test("fact 53 sharpened: a statement that is its own transaction needs none")
  func autocommit() throws {
    #expect(
      try journals(history: "n INTEGER PRIMARY KEY, x", body: "h VALUES (NEW.x, 1)", begin: "") == 0
    )
  }

  /// How many statement journals a bulk update wrote to files.
  private func journals(history: String, body: String, begin: String = "BEGIN") throws -> Int {
    let clock = ClockVFS(now: 0)
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE s(x);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO s SELECT i FROM n;
        CREATE TABLE h(\(history));
        CREATE TRIGGER g AFTER UPDATE ON s BEGIN INSERT INTO \(body); END;
        """)
    let connection = try store.connection(vfs: clock.name)
    try connection.execute("\(begin); UPDATE s SET x = x + 1")
    return clock.statementJournals
  }
}
