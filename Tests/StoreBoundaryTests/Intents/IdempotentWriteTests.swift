import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import StoreBoundary
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Idempotent write", .timeLimit(.minutes(1)))
struct IdempotentWriteTests {
  private struct OwnError: Error {}

  private static let complete = IdempotentWrite(
    author: "widget", context: "tap",
    isDone: WriteCheck("SELECT done FROM tasks WHERE id = ?", 7),
    isCurrent: WriteCheck("SELECT version = ? FROM tasks WHERE id = ?", 3, 7)
  ) { transaction in
    try transaction.run("UPDATE tasks SET done = 1, version = version + 1 WHERE id = ?", 7)
  }

  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, done INTEGER, version INTEGER);
        INSERT INTO tasks VALUES (7, 0, 3)
        """)
    try store.track()
    return store
  }

  @Test("twice is one change, under its author")
  func twice() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let first = try await Self.complete.perform(on: writer)
    guard case .committed(let token) = first else {
      Issue.record("\(first)")
      return
    }
    #expect(try await Self.complete.perform(on: writer) == .alreadyDone(token))
    #expect(try store.opened().state().head == token)
    let transactions = try store.recorded().transactions
    #expect(transactions.map(\.record.author) == ["widget"])
    #expect(transactions.map(\.record.context) == ["tap"])
    #expect(first.token == token)
  }

  @Test(
    "what does not apply any more changes nothing",
    arguments: [
      "UPDATE tasks SET version = 4", "DELETE FROM tasks", "UPDATE tasks SET version = NULL",
    ])
  func stale(meanwhile: String) async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let head = try await writer.write(author: "app") { try $0.execute(meanwhile) }
    #expect(try await Self.complete.perform(on: writer) == .stale(head))
    #expect(try store.opened().state().head == head)
  }

  @Test("done before counts before stale")
  func doneAndStale() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let head = try await writer.write(author: "app") {
      try $0.run("UPDATE tasks SET done = 1, version = 9")
    }
    #expect(try await Self.complete.perform(on: writer) == .alreadyDone(head))
  }

  @Test("a body that throws, or does not do what is asked for, changes nothing")
  func failing() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let head = try store.opened().state().head
    let throwing = IdempotentWrite(author: "a", isDone: Self.complete.isDone) { transaction in
      try transaction.run("UPDATE tasks SET done = 1")
      throw OwnError()
    }
    await #expect(throws: OwnError.self) { try await throwing.perform(on: writer) }
    let undone = IdempotentWrite(author: "a", isDone: Self.complete.isDone) { transaction in
      try transaction.run("UPDATE tasks SET version = version + 1")
    }
    let error = await #expect(throws: HistoryError.self) {
      try await undone.perform(on: writer)
    }
    #expect(error?.code == .usage)
    let wrong = IdempotentWrite(author: "a", isDone: WriteCheck("SELECT nothing")) { _ in }
    let failed = await #expect(throws: HistoryError.self) { try await wrong.perform(on: writer) }
    #expect(failed?.code == .statementFailed)
    #expect(try store.opened().state().head == head)
  }

  @Test(
    "an answer is yes only for a number other than zero",
    arguments: [
      ("SELECT 1", true), ("SELECT -1", true), ("SELECT 0.5", true), ("SELECT 0", false),
      ("SELECT 0.0", false), ("SELECT NULL", false), ("SELECT 'true'", false),
      ("SELECT x'01'", false), ("SELECT 1 WHERE 0", false), ("VALUES (0), (1)", false),
    ])
  func answers(question: String, isYes: Bool) async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let write = IdempotentWrite(author: "a", isDone: WriteCheck(question)) { _ in
      throw OwnError()
    }
    if isYes {
      guard case .alreadyDone = try await write.perform(on: writer) else {
        Issue.record("not done")
        return
      }
    } else {
      await #expect(throws: OwnError.self) { try await write.perform(on: writer) }
    }
  }

  @Test("of many who want it at once, through several writers, one does it")
  func race() async throws {
    let store = try store()
    let path = store.path
    let outcomes = try await withThrowingTaskGroup(of: IdempotentWrite.Outcome.self) { group in
      for _ in 0..<8 {
        group.addTask { try await Self.complete.perform(on: StoreWriter(path: path)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes.count { if case .committed = $0 { true } else { false } } == 1)
    #expect(outcomes.count { if case .alreadyDone = $0 { true } else { false } } == 7)
  }

  @Test("what was committed wins over a snapshot that failed, which the next pass rewrites")
  func committedWins() async throws {
    let (store, scene) = (try store(), try SnapshotScene(file: "missing/facts.json"))
    let (reloads, continuation) = AsyncStream.makeStream(of: Snapshot<Facts>.self)
    let path = store.path
    let snapshots = try scene.writer(
      payload: {
        let tracked = try TrackedStore(path: path, access: .readOnly)
        return try tracked.read { view in
          let open = try view.rows("SELECT count(*) FROM tasks WHERE done = 0")[0][0].integer
          return (Facts(open: Int(open ?? -1)), view.token)
        }
      }, reload: { continuation.yield($0) })
    let writer = try StoreWriter(path: path)
    let outcome = try await Self.complete.perform(on: writer)
    await #expect(throws: HistoryError.self) { try await snapshots.write() }
    guard case .committed(let token) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try store.opened().state().head == token)
    #expect(scene.reader().read().fault == .missing)

    #expect(mkdir(scene.directory.file("missing"), 0o700) == 0)
    await scene.clock.advance(by: .seconds(1), on: scene.executor)
    var iterator = reloads.makeAsyncIterator()
    let reloaded = await iterator.next()
    #expect(reloaded?.payload == Facts(open: 0))
    #expect(reloaded?.token == token)
    #expect(scene.reader().read().snapshot == reloaded)
    #expect(await snapshots.error == nil)
  }
}
