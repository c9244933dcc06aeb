import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Reading a store at one position.
@Suite("Read view", .timeLimit(.minutes(1)))
struct ReadViewTests {
  @Test("a body that reads cannot end its transaction")
  func endsTransaction() async throws {
    let file = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try file.track()
    let observed = try ObservedStore(path: file.path)
    for sql in ["COMMIT", "ROLLBACK", "SAVEPOINT s", "ATTACH ':memory:' AS a"] {
      await #expect(throws: HistoryError.self) {
        try await observed.read { view in _ = try view.rows(sql) }
      }
    }
    let rows = try await observed.read { view in
      _ = try? view.rows("COMMIT")
      return try view.rows("SELECT count(*) AS n FROM t")
    }
    #expect(rows.first?["n", as: Int.self] == 0)
  }
}
