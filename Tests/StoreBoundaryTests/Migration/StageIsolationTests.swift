import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Stages by themselves")
struct StageIsolationTests {
  /// A stage that leaves much on its connection, and one that would notice.
  private let plan: [SchemaVersion] = [
    .sql(
      1,
      """
      PRAGMA recursive_triggers = ON; PRAGMA case_sensitive_like = ON;
      CREATE TEMP TABLE t AS SELECT 7 AS id, 'temporary' AS name;
      CREATE TEMP TRIGGER z AFTER UPDATE ON main.t BEGIN SELECT RAISE(ABORT, 'left'); END
      """),
    .sql(2, "UPDATE t SET name = 'other' WHERE name LIKE 'ONE'"),
  ]

  @Test(
    "what one leaves on its connection is nothing to the next", arguments: [false, true],
    [false, true])
  func leftovers(isAtOnce: Bool, isTracked: Bool) throws {
    let store = try TemporaryStore(
      sql:
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name); INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    if isTracked { try store.track() }
    if !isAtOnce { try store.migrate([plan[0]]) }
    let outcome = try store.migrate(plan)
    #expect(try store.connection().rows("SELECT * FROM t") == [[1, "other"], [2, "two"]])
    #expect(outcome.rows.map(\.after) == [2])
    if isTracked { #expect(try store.recorded().lines == ["update t[1] name='one'>'other'"]) }
  }

  @Test("a stage that needs what another one left fails at once too, and not only after a crash")
  func dependent() throws {
    let store = try TemporaryStore()
    #expect(throws: HistoryError.self) {
      try store.migrate(
        .sql(1, "CREATE TEMP TABLE scratch(x)"), .sql(2, "INSERT INTO scratch VALUES (1)"))
    }
    #expect(try store.value("PRAGMA user_version") == 1)
  }
}
