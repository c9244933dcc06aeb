import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Which queries are kept current, and when they run again.
@Suite("Results feed", .timeLimit(.minutes(1)))
struct ResultsFeedTests {
  private func store(_ journal: TemporaryStore.Journal = .wal) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE TABLE u(id INTEGER PRIMARY KEY, v)",
      journal: journal)
    try store.track()
    return store
  }

  @Test("of several queries asked for at once, while somebody writes, one stays")
  func fetchesAtOnce() async throws {
    let file = try store(.delete)
    let observed = try ObservedStore(path: file.path)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id, 9 AS n FROM t", key: ["id"])
    let other = try file.connection()
    other.setBusyTimeout(milliseconds: 20_000)
    for round in 0..<10 {
      // It is given way to, so that all of them have to wait.
      try other.execute("BEGIN IMMEDIATE; INSERT INTO t DEFAULT VALUES")
      try await withThrowingTaskGroup { group in
        for number in 0..<4 {
          group.addTask { try await rows.fetch(query: "SELECT id, \(number) AS n FROM t") }
        }
        try await group.waitForAll()
      }
      try other.execute("COMMIT")
      try await rows.waitUntil(observed.state().head)
      #expect(await observed.hub.feedCount == 1)
      #expect(rows.results.count == round + 1)
      #expect(Set(rows.results.map { $0["n", as: Int.self] }).count == 1)
    }
  }

  @Test("results whose view means something else now follow what it means now")
  func viewChanges() async throws {
    let file = try store()
    let connection = try file.connection()
    try connection.execute("CREATE VIEW w AS SELECT id, v FROM t; INSERT INTO t(id) VALUES (1)")
    try connection.execute("ALTER TABLE t ADD COLUMN x")
    try file.track()
    let observed = try ObservedStore(path: file.path)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id, v FROM w", key: ["id"])
    // What the query does not read.
    try await observed.write(author: "app") { try $0.execute("UPDATE t SET x = 0") }
    try await observed.write(author: "app") { try $0.execute("UPDATE t SET x = NULL") }
    try connection.execute("DROP VIEW w; CREATE VIEW w AS SELECT id, x AS v FROM t")
    try await observed.write(author: "app") { try $0.execute("INSERT INTO u DEFAULT VALUES") }
    try await observed.write(author: "app") { try $0.execute("UPDATE t SET x = 'seen'") }
    #expect(rows.results.first?["v", as: String.self] == "seen")
  }

  @Test("results of an observer that was let go are not kept until the next commit")
  func resultsGo() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let other = try await HistoryObserver(store: observed)
    do {
      _ = try await ResultsObserver<StoredRow>(store: observed, query: "SELECT * FROM t")
    }
    // What it asks for when it goes comes before this on the loop.
    _ = try await observed.state()
    #expect(await observed.hub.feedCount == 0)
    withExtendedLifetime(other) {}
  }
}
