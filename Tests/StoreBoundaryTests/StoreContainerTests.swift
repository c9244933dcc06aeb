import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Store container", .timeLimit(.minutes(1)))
struct StoreContainerTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let plan: MigrationPlan
  private let options = MigrationOptions(writer: "app")

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("app.db")
    plan = try MigrationPlan([
      SchemaVersion(1, "tasks", .lightweight("CREATE TABLE tasks(id INTEGER PRIMARY KEY, title)")),
      SchemaVersion(2, "first", .lightweight("INSERT INTO tasks(title) VALUES ('buy milk')")),
    ])
  }

  /// A row of tasks, as it crosses the border.
  private struct Task: Codable, Equatable {
    let id: Int
    let title: String
  }

  @Test("an owner makes a store where there is none, and tells each state in turn")
  func creates() async throws {
    let told = Guarded<[String]>([])
    let store = try await StoreContainer.owner(at: path, plan: plan, options: options) { state in
      let word =
        switch state {
        case .opening: "opening"
        case .migrating(.applied(let version, _)): "applied \(version)"
        case .migrating: ""
        case .ready(let schema): "ready \(schema)"
        case .unavailable: "unavailable"
        }
      told.withLock { $0.append(word) }
    }
    #expect(
      told.withLock { $0 }.filter { !$0.isEmpty } == [
        "opening", "applied 1", "applied 2", "ready 2",
      ])
    #expect(store.role == .owner)
    #expect(store.schema == 2)
    let rows = try await store.rows("SELECT id, title FROM tasks")
    #expect(try rows.map { try $0.decode(Task.self) } == [Task(id: 1, title: "buy milk")])
    #expect(try Connection(path: path).row("PRAGMA journal_mode") == ["wal"])
  }

  @Test("an owner keeps others out for as long as he lives, and clients in")
  func oneOwner() async throws {
    do {
      let store = try await StoreContainer.owner(at: path, plan: plan, options: options)
      await #expect(throws: HistoryError.self) {
        _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
      }
      _ = try StoreContainer.client(at: path, schema: 2, access: .readOnly)
      withExtendedLifetime(store) {}
    }
    _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
  }

  @Test(
    "a client that only reads cannot write, whatever the SQL says",
    arguments: [
      "INSERT INTO tasks(title) VALUES ('x') RETURNING id", "DELETE FROM tasks", "DROP TABLE tasks",
      "PRAGMA user_version = 9", "PRAGMA journal_mode = DELETE", "BEGIN IMMEDIATE",
      "ATTACH 'other.db' AS other", "CREATE TEMP TABLE x(y)", "VACUUM",
    ])
  func onlyReads(sql: String) async throws {
    _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
    let client = try StoreContainer.client(at: path, schema: 2, access: .readOnly)
    let error = await #expect(throws: HistoryError.self) { try await client.rows(sql) }
    #expect(error?.code == .statementFailed)
    #expect(throws: HistoryError.self) { try client.writer() }
    #expect(try await client.rows("SELECT * FROM tasks").count == 1)
    #expect(try FileNames.list(directory.path).contains("other.db") == false)
  }

  @Test("a client that may write does so under an author")
  func writes() async throws {
    _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
    try Tracker(TrackedStore(path: path, access: .readWrite)).track(Tracker.Request())
    let client = try StoreContainer.client(at: path, schema: 2, access: .readWrite)
    try await client.writer().write(author: "intent") {
      try $0.run("INSERT INTO tasks(title) VALUES ('call Ada')")
    }
    #expect(try await client.rows("SELECT title FROM tasks WHERE id = ?", 2).count == 1)
  }

  @Test("a writer that a migration overtook writes nothing any more")
  func overtakenWriter() async throws {
    do { _ = try await StoreContainer.owner(at: path, plan: plan, options: options) }
    try Tracker(TrackedStore(path: path, access: .readWrite)).track(Tracker.Request())
    let writer = try StoreContainer.client(at: path, schema: 2, access: .readWrite).writer()
    let insert: @Sendable (WriteTransaction) throws -> Void = {
      try $0.run("INSERT INTO tasks(title) VALUES ('x')")
    }
    try await writer.write(author: "intent", insert)
    let next = try MigrationPlan(
      plan.versions + [SchemaVersion(3, "more", .lightweight("CREATE TABLE more(x)"))])
    do { _ = try await StoreContainer.owner(at: path, plan: next, options: options) }
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "intent", insert)
    }
    #expect(error?.unavailableReason == .newerSchema)
    #expect(try Connection(path: path).row("SELECT count(*) FROM tasks") == [2])
  }

  @Test("a store that was lost is not replaced by an empty one")
  func lost() async throws {
    do { _ = try await StoreContainer.owner(at: path, plan: plan, options: options) }
    for name in try FileNames.list(directory.path) where !name.hasSuffix("-ready") {
      try FileNames.remove(directory.file(name))
    }
    let error = await #expect(throws: HistoryError.self) {
      _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
    }
    #expect(error?.unavailableReason == .missing)
    #expect(!FileNames.isTaken(path))
  }

  @Test(
    "whoever was made for another version does not open the store",
    arguments: [
      (1, UnavailableReason.newerSchema), (3, .olderSchema), (0, .newerSchema),
    ])
  func otherVersions(schema: Int, reason: UnavailableReason) async throws {
    _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
    let error = #expect(throws: HistoryError.self) {
      _ = try StoreContainer.client(at: path, schema: schema, access: .readOnly)
    }
    #expect(error?.unavailableReason == reason)
  }

  @Test("a migration that is cancelled leaves a whole version, and goes on when it is run again")
  func cancelled() async throws {
    let endless = try MigrationPlan(
      plan.versions + [
        SchemaVersion(
          3, "endless",
          .lightweight(
            """
            CREATE TABLE n AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)
            SELECT x FROM r
            """))
      ])
    let began = AsyncStream.makeStream(of: Void.self)
    let migrating = _Concurrency.Task { [path, options] in
      try await StoreContainer.owner(at: path, plan: endless, options: options) { state in
        if case .migrating(.began(version: 3, _)) = state { began.continuation.yield() }
      }
    }
    for await _ in began.stream { break }
    migrating.cancel()
    let error = await #expect(throws: HistoryError.self) { _ = try await migrating.value }
    #expect(error?.code == .temporary)
    #expect(try Connection(path: path).row("PRAGMA user_version") == [2])
    #expect(throws: HistoryError.self) {
      _ = try StoreContainer.client(at: path, schema: 2, access: .readOnly)
    }
    _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
    _ = try StoreContainer.client(at: path, schema: 2, access: .readOnly)
  }

  @Test("a file of a write-ahead log without its database is not taken for an empty store")
  func leftover() async throws {
    try DurableFile(path: path + "-wal").replace(with: [1, 2, 3])
    let error = await #expect(throws: HistoryError.self) {
      _ = try await StoreContainer.owner(at: path, plan: plan, options: options)
    }
    #expect(error?.unavailableReason == .corrupt)
    #expect(!FileNames.isTaken(path))
  }
}
