import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("What a stage may not do")
struct StageLimitsTests {
  private func store() throws -> TemporaryStore {
    try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')
        """)
  }

  static let reachingOut = [
    "COMMIT", "ROLLBACK", "END", "BEGIN", "ATTACH ':memory:' AS x", "DETACH x", "VACUUM",
    "VACUUM INTO '/tmp/never'", "INSERT OR ROLLBACK INTO t VALUES (1, 'x')",
    "UPDATE OR ROLLBACK t SET id = 1",
    "CREATE TABLE k(x UNIQUE ON CONFLICT ROLLBACK); "
      + "INSERT INTO k VALUES (1); INSERT INTO k VALUES (1)",
    "DELETE FROM _history_boundary", "UPDATE _history_migration SET version = 9",
    "INSERT INTO _HISTORY_change(what) VALUES (1)", "DROP TABLE _history_boundary",
    "ALTER TABLE _history_migration RENAME TO other", "DROP VIEW history_author",
    "CREATE TRIGGER x AFTER INSERT ON _history_change BEGIN SELECT 1; END",
    "CREATE INDEX x ON _history_change(what)", "CREATE TABLE _history_own(x)",
    "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM _history_change; END; "
      + "INSERT INTO t(name) VALUES ('x')",
    "CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE _history_boundary SET value = 0; END; "
      + "INSERT INTO t(name) VALUES ('x')",
    "SELECT RAISE(ROLLBACK, 'x')",
    "CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT RAISE(ROLLBACK, 'x'); END; "
      + "INSERT INTO t(name) VALUES ('x')",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql",
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'u'",
  ]

  @Test("SQL that reaches out of the transaction or into the history fails", arguments: reachingOut)
  func reaching(sql: String) throws {
    let store = try store()
    try store.connection().execute("CREATE TABLE u(x)")
    try store.track("t")
    try store.migrate(.sql(1, "SELECT 1"))
    let before = try StoreContent(store.path)
    let head = try store.opened().state().head
    let error = #expect(throws: HistoryError.self) {
      try store.migrate(
        .sql(1, "SELECT 1"),
        SchemaVersion(2, "a", .custom("a", didMigrate: { try $0.execute(sql) })))
    }
    #expect([.statementFailed, .usage].contains(error?.code), "\(error as Any)")
    #expect(try StoreContent(store.path) == before)
    #expect(try store.opened().state().head == head)
    #expect(try store.opened().check().filter(\.needsAttention) == [])
    #expect(try store.migrate(.sql(1, "SELECT 1"), .sql(2, "SELECT 2")).applied == ["0002 step"])
  }
}
