import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Batches of a migration")
struct MigrationBatchTests {
  private func store(rows: Int = 3) throws -> TemporaryStore {
    try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
        INSERT INTO t SELECT i, 'name ' || i FROM n
        """)
  }

  @Test("batches are bounded, and each row is given once, whatever the body does to the table")
  func batches() throws {
    let store = try store(rows: 1001)
    let seen = Seen()
    let step: MigrationStage.Step = { context in
      try context.forEachBatch(of: "SELECT id, name FROM t WHERE id <> 5", size: 100) { batch in
        seen.sizes.append(batch.count)
        for row in batch {
          let id = row[0].integer ?? 0
          seen.keys.append(id)
          try context.run("UPDATE t SET name = name || '!' WHERE id = ?", row[0])
          // Rows behind, rows ahead, and new ones beyond the end.
          if id % 10 == 0 {
            try context.run("DELETE FROM t WHERE id IN (?, ?)", row[0], .integer(id - 1))
          }
          if id % 10 == 1 { try context.run("INSERT INTO t(name) VALUES ('new')") }
        }
      }
    }
    try store.migrate(SchemaVersion(1, "a", .custom("a", didMigrate: step)))
    #expect(seen.keys == (1...1001).filter { $0 != 5 })
    #expect(seen.sizes.max() == 100 && seen.sizes.reduce(0, +) == 1000)
    #expect(try store.value("SELECT count(*) FROM t WHERE name = 'new'") == 101)
    #expect(try store.value("SELECT name FROM t WHERE id = 998") == "name 998!")
    #expect(try store.value("SELECT name FROM t WHERE id = 5") == "name 5")
  }

  @Test("a body that moves rows to keys ahead of it comes to an end")
  func moving() throws {
    let store = try store(rows: 250)
    try store.migrate(
      SchemaVersion(
        1, "a",
        .custom(
          "a",
          didMigrate: { context in
            try context.forEachBatch(of: "SELECT id FROM t", size: 100) { batch in
              for row in batch {
                try context.run("UPDATE t SET id = id + 1000 WHERE id = ?", row[0])
              }
            }
          })))
    #expect(
      try store.connection().row("SELECT min(id), max(id), count(*) FROM t") == [1001, 1250, 250])
  }

  @Test("the smallest and the greatest keys are given, and an empty table gives nothing")
  func extremes() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); CREATE TABLE e(id INTEGER PRIMARY KEY)")
    try store.connection().run("INSERT INTO t VALUES (?), (0), (?)", .integer(.min), .integer(.max))
    let seen = Seen()
    try store.migrate(
      SchemaVersion(
        1, "a",
        .custom(
          "a",
          didMigrate: { context in
            for table in ["t", "e"] {
              try context.forEachBatch(of: "SELECT rowid FROM \(table)", size: 1) { batch in
                seen.rows += batch
              }
            }
          })))
    #expect(seen.rows == [[.integer(.min)], [0], [.integer(.max)]])
  }

  @Test(
    "a query whose first column does not tell its rows apart is refused, not read in part",
    arguments: [
      "SELECT name, id FROM t", "SELECT NULL, id FROM t", "SELECT id / 2, id FROM t",
      "SELECT iif(id = 2, NULL, id) FROM t", "SELECT id + 0.5 FROM t",
      "SELECT iif(id = 2, x'00', id) FROM t",
    ], [1, 2, 100])
  func badKey(query: String, size: Int) throws {
    let store = try store()
    let error = #expect(throws: HistoryError.self) {
      try store.migrate(
        SchemaVersion(
          1, "a",
          .custom("a", didMigrate: { try $0.forEachBatch(of: query, size: size) { _ in } })))
    }
    #expect(error?.code == .usage, "\(error as Any)")
  }
}

/// What a stage's code has seen; only the thread that migrates uses it.
private final class Seen: @unchecked Sendable {
  var rows: [[StoredValue]] = []
  var keys: [Int64] = []
  var sizes: [Int] = []
}
