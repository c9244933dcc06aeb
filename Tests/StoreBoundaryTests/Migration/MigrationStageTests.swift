import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// What a test's code meets.
private struct Bump: Error {}

@Suite("Migration stage")
struct MigrationStageTests {
  private func store(rows: Int = 3) throws -> TemporaryStore {
    try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO t SELECT i, 'name ' || i FROM n
        """)
  }

  @Test("code before the SQL sees the old tables, code after it the new ones")
  func oldAndNew() throws {
    let store = try store()
    try store.migrate(
      SchemaVersion(
        1, "split",
        .custom(
          "split", sql: "ALTER TABLE t ADD COLUMN size; ALTER TABLE t RENAME COLUMN name TO title",
          willMigrate: { context in
            #expect(try context.rows("SELECT name FROM t WHERE id = 1") == [["name 1"]])
            try context.run("INSERT INTO t(id, name) VALUES (?, ?)", 9, "nine")
          },
          didMigrate: { context in
            #expect(try context.rows("SELECT title, size FROM t WHERE id = 9") == [["nine", nil]])
            try context.execute("UPDATE t SET size = length(title); DELETE FROM t WHERE id = 2")
          })))
    #expect(
      try store.connection().rows("SELECT id, title, size FROM t")
        == [[1, "name 1", 6], [3, "name 3", 6], [9, "nine", 4]])
  }

  @Test("whatever fails, wherever it fails, the stage is undone whole and the store is not ready")
  func failing() throws {
    let bad = "INSERT INTO t VALUES (50, 'fifty'); INSERT INTO missing VALUES (1)"
    let stages: [MigrationStage] = [
      .lightweight(bad), .custom("a", willMigrate: { try $0.execute(bad) }),
      .custom("a", sql: bad, willMigrate: { try $0.run("DELETE FROM t") }),
      .custom("a", sql: "DELETE FROM t", didMigrate: { try $0.execute(bad) }),
      .custom("a", sql: "DROP TABLE t", didMigrate: { _ in throw Bump() }),
      .custom(
        "a",
        didMigrate: { context in
          try context.forEachBatch(of: "SELECT id FROM t", size: 1) { batch in
            try context.run("DELETE FROM t WHERE id = ?", batch[0][0])
            if batch[0][0] == 2 { throw Bump() }
          }
        }),
      .lightweight("CREATE TABLE c(p REFERENCES t(id)); INSERT INTO c VALUES (99)"),
    ]
    for isTracked in [false, true] {
      for stage in stages {
        let store = try store()
        if isTracked { try store.track() }
        try store.migrate(.sql(1, "SELECT 1"))
        let before = try StoreContent(store.path)
        let head = isTracked ? try store.opened().state().head : nil
        let error = #expect(throws: HistoryError.self) {
          try store.migrate(.sql(1, "SELECT 1"), SchemaVersion(2, "bad", stage))
        }
        #expect(try StoreContent(store.path) == before)
        #expect(store.refusal(schema: 1) == .notReady && store.refusal(schema: 2) == .notReady)
        let copy = try #require(store.files(endingWith: ".copy").last)
        #expect(error?.hint?.contains(copy) == true)
        #expect(error?.message.contains("fifty") == false, "a stored value")
        #expect(error?.message.hasPrefix("0002 bad") == true, "which file")
        if isTracked { #expect(try store.opened().state().head == head) }
        // The same owner goes on once the stage is right.
        #expect(
          try store.migrate(.sql(1, "SELECT 1"), .sql(2, "SELECT 2")).applied == ["0002 step"])
        #expect(store.refusal(schema: 2) == nil)
      }
    }
  }

  @Test(
    "savepoints may be gone back to, also over a change of the schema", arguments: [false, true])
  func savepoints(isTracked: Bool) throws {
    let store = try store()
    if isTracked { try store.track() }
    try store.migrate(
      .sql(
        1,
        """
        SAVEPOINT a; UPDATE t SET name = 'x'; ALTER TABLE t ADD COLUMN b; UPDATE t SET b = 1;
        ALTER TABLE t DROP COLUMN name; INSERT INTO t VALUES (7, 7); ROLLBACK TO a; RELEASE a;
        UPDATE t SET name = 'y' WHERE id = 1
        """))
    #expect(
      try store.connection().rows("SELECT * FROM t") == [[1, "y"], [2, "name 2"], [3, "name 3"]])
    guard isTracked else { return }
    #expect(try store.opened().check().filter(\.needsAttention) == [])
    #expect(try store.recorded().notices == [])
    #expect(try store.recorded().lines == ["update t[1] name='name 1'>'y'"])
  }

  @Test("code reports how far it is, in order with all other events")
  func events() throws {
    let store = try store()
    var events: [MigrationEvent] = []
    let stage = MigrationStage.custom("a", sql: "SELECT 1") {
      $0.advance(1, of: 2)
    } didMigrate: {
      $0.advance(2)
    }
    let outcome = try store.migrate(SchemaVersion(4, "a", stage)) { events.append($0) }
    let copy = try #require(outcome.copy)
    #expect(
      events.drop { if case .copying = $0 { true } else { false } } == [
        .copied(copy), .cleared, .began(version: 4, name: "a"),
        .advanced(version: 4, done: 1, total: 2), .advanced(version: 4, done: 2, total: nil),
        .committing(version: 4), .applied(version: 4, name: "a"), .verifying, .finishing,
        .ready(schema: 4),
      ])
  }
}
