import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Observation
import SQLite
import Testing

/// Queries whose results are kept current.
@Suite("Results observer", .timeLimit(.minutes(1)))
struct ResultsObserverTests {
  private struct Item: Decodable, Sendable, Equatable {
    var id: Int
    var title: String
    var done: Bool
  }

  private static let query = "SELECT id, title, done FROM tasks ORDER BY title"

  private func store(_ more: String = "") throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INTEGER DEFAULT 0, note TEXT);
        CREATE TABLE other(id INTEGER PRIMARY KEY);
        INSERT INTO tasks(id, title) VALUES (1, 'b'), (2, 'd'); \(more)
        """)
    try store.track()
    return store
  }

  @Test("results follow what is written, and the difference says how")
  func follows() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await ResultsObserver<Item>(store: observed, query: Self.query, key: ["id"])
    #expect(
      tasks.results == [
        Item(id: 1, title: "b", done: false), Item(id: 2, title: "d", done: false),
      ])
    #expect(tasks.lastDifference == nil)
    let token = try await observed.write(author: "app") {
      try $0.execute(
        """
        INSERT INTO tasks(id, title) VALUES (3, 'c'); UPDATE tasks SET title = 'x' WHERE id = 1;
        UPDATE tasks SET done = 1 WHERE id = 2
        """)
    }
    #expect(tasks.results.map(\.id) == [3, 2, 1])
    #expect(tasks.results[1].done)
    #expect(tasks.token == token)
    #expect(tasks.element(at: 2)?.title == "x")
    #expect(tasks.element(at: 3) == nil)
    let difference = try #require(tasks.lastDifference)
    #expect(difference.inserted.map(\.index) == [0])
    #expect(difference.moved.count == 1)
    #expect(Set(difference.updated.flatMap(\.changedColumns)) == ["title", "done"])
    #expect(difference.removed.isEmpty)
  }

  @Test("rows of another process's making are decoded too, and Observation tells")
  func otherProcess() async throws {
    let file = try store()
    let tasks = try await ResultsObserver<Item>(
      store: ObservedStore(path: file.path), query: Self.query, key: ["id"])
    let writer = try WriterProcess(path: file.path)
    for id in 3...20 {
      try writer.run("INSERT INTO tasks(id, title) VALUES (\(id), 'z')")
      for await results in Observations({ tasks.results }) where results.last?.id == id { break }
    }
    #expect(tasks.results.count == 20)
  }

  @Test("a commit that touches nothing the query reads does not run it")
  func avoidsRuns() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let titles = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT title FROM tasks WHERE id = 2")
    let runs = await observed.hub.queryRuns.runs
    for sql in [
      "INSERT INTO other DEFAULT VALUES", "UPDATE tasks SET note = 'n' WHERE id = 2",
      "UPDATE tasks SET title = 'q' WHERE id = 1", "INSERT INTO tasks(title) VALUES ('new')",
    ] {
      try await observed.write(author: "app") { try $0.execute(sql) }
    }
    #expect(await observed.hub.queryRuns.runs == runs)
    #expect(await observed.hub.queryRuns.avoided == 4)
    #expect(titles.lastDifference == nil)
    let token = try await observed.write(author: "app") {
      try $0.execute("UPDATE tasks SET title = 'changed' WHERE id = 2")
    }
    #expect(await observed.hub.queryRuns.runs == runs + 1)
    #expect(titles.results.first?["title", as: String.self] == "changed")
    #expect(titles.token == token)
  }

  @Test("a query that reads a row by rowid of a table with a key runs again when it has to")
  func aggregates() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let count = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT count(*) AS n FROM tasks")
    let runs = await observed.hub.queryRuns.runs
    try await observed.write(author: "app") { try $0.execute("UPDATE tasks SET title = 'x'") }
    #expect(await observed.hub.queryRuns.runs == runs)
    try await observed.write(author: "app") { try $0.execute("DELETE FROM tasks") }
    #expect(count.results.first?["n", as: Int.self] == 0)
  }

  @Test("sections are runs of rows with the same value")
  func sections() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await ResultsObserver<Item>(
      store: observed, query: "SELECT id, title, done FROM tasks ORDER BY done, title",
      key: ["id"], sectionBy: "done")
    #expect(tasks.sections.map(\.range) == [0..<2])
    try await observed.write(author: "app") {
      try $0.execute("UPDATE tasks SET done = 1 WHERE id = 1")
    }
    #expect(tasks.sections.map(\.value) == [.integer(0), .integer(1)])
    #expect(tasks.sections.map(\.range) == [0..<1, 1..<2])
  }

  @Test("another query or other arguments fetch at once, and a bad one leaves the good one")
  func refetches() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await ResultsObserver<Item>(
      store: observed, query: "SELECT * FROM tasks WHERE id >= ? ORDER BY id", arguments: [1],
      key: ["id"])
    try await tasks.fetch(arguments: [2])
    #expect(tasks.results.map(\.id) == [2])
    #expect(tasks.lastDifference?.removed.map(\.index) == [0])
    await #expect(throws: HistoryError.self) { try await tasks.fetch(query: "SELEKT 1") }
    try await observed.write(author: "app") {
      try $0.execute("INSERT INTO tasks(id, title) VALUES (3, 'c')")
    }
    #expect(tasks.results.map(\.id) == [2, 3])
    try await tasks.fetch(query: "SELECT * FROM tasks ORDER BY id DESC", arguments: [])
    #expect(tasks.results.map(\.id) == [3, 2, 1])
  }

  @Test("a later failure is kept, the last good results stay, and it recovers")
  func laterFailure() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await ResultsObserver<Item>(store: observed, query: Self.query, key: ["id"])
    let token = try await observed.write(author: "app") {
      // What the type cannot hold.
      try $0.execute("UPDATE tasks SET title = NULL WHERE id = 1")
    }
    #expect(tasks.error?.code == .statementFailed)
    #expect(tasks.error.map { "\($0)".contains("title") } == true)
    #expect(tasks.results.map(\.title) == ["b", "d"])
    await #expect(throws: HistoryError.self) { try await tasks.waitUntil(token) }
    try await observed.write(author: "app") {
      try $0.execute("UPDATE tasks SET title = 'b' WHERE id = 1; DELETE FROM tasks WHERE id = 2")
    }
    #expect(tasks.error == nil)
    #expect(tasks.results.map(\.id) == [1])
  }

  @Test("first results that cannot be had are thrown")
  func firstFailure() async throws {
    let file = try store("CREATE TABLE fresh(id INTEGER PRIMARY KEY)")
    let untracked = try file.connection()
    try untracked.execute("CREATE TABLE untracked(id INTEGER PRIMARY KEY)")
    let observed = try ObservedStore(path: file.path)
    for (query, code) in [
      ("SELECT * FROM untracked", HistoryError.Code.notTracked),
      ("DELETE FROM tasks", .usage),
      ("SELECT id, NULL AS title, done FROM tasks", .statementFailed),
    ] {
      let error = await #expect(throws: HistoryError.self) {
        _ = try await ResultsObserver<Item>(store: observed, query: query)
      }
      #expect(error?.code == code)
    }
  }

  @Test("each body is told differences that apply to what it was told before, however slow it is")
  func differencesApply() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await ResultsObserver<StoredRow>(
      store: observed, query: Self.query, key: ["id"])
    let rows = ResultRows(
      columns: ["id", "title", "done"], rows: tasks.results.map(\.values))
    let (differences, told) = AsyncStream.makeStream(of: ResultsDifference.self)
    let (goOns, goOn) = AsyncStream.makeStream(of: Void.self)
    let observation = tasks.observe { difference in
      told.yield(difference)
      for await _ in goOns { break }
    }
    for round in 0..<20 {
      try await observed.write(author: "app") {
        try $0.execute(
          """
          INSERT INTO tasks(title) VALUES ('\(["m", "a", "z"][round % 3])');
          UPDATE tasks SET title = title || '!' WHERE id % 5 = \(round % 5);
          DELETE FROM tasks WHERE id % 7 = \(round % 7)
          """)
      }
      if round % 6 == 0 { goOn.yield() }
    }
    goOn.finish()
    var reached = rows
    let end = ResultRows(columns: rows.columns, rows: tasks.results.map(\.values))
    for await difference in differences {
      reached = difference.applied(to: reached)
      if reached == end { break }
    }
    #expect(reached == end)
    observation.cancel()
  }

  @Test("results survive another state of the store, and capture that does not keep up")
  func schemaAndRestore() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT * FROM tasks ORDER BY id", key: ["id"])
    let other = try file.connection()
    // The table is rebuilt, so its triggers are gone and what is written is in no history.
    try other.execute(
      """
      ALTER TABLE tasks RENAME TO old; CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT);
      INSERT INTO tasks SELECT id, title FROM old; DROP TABLE old
      """)
    try other.execute("INSERT INTO tasks VALUES (3, 'unseen')")
    try await observed.waitUntil(observed.state().head)
    for await results in Observations({ tasks.results }) where results.count == 3 { break }
    #expect(tasks.results.last?.columns == ["id", "title"])
    try other.execute("DELETE FROM tasks WHERE id = 1")
    for await results in Observations({ tasks.results }) where results.count == 2 { break }
    #expect(tasks.error == nil)
  }
}
