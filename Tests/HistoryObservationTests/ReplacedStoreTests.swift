import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Observation
import SQLite
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What becomes of an open store when another file is moved over its path.
@Suite("Replaced store", .timeLimit(.minutes(1)))
struct ReplacedStoreTests {
  private func store() throws -> TemporaryStore {
    // A write-ahead log would have to be moved with its file.
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v)", journal: .delete)
    try store.track()
    return store
  }

  private func copy(_ file: TemporaryStore, _ name: String) throws -> String {
    let path = file.directory.file(name)
    try file.connection().execute("VACUUM INTO '\(path)'")
    return path
  }

  private func ids(_ path: String) throws -> [Int64?] {
    try Connection(path: path, access: .readOnly).rows("SELECT id FROM t ORDER BY id").map {
      $0[0].integer
    }
  }

  @Test("a write goes into the file that the path leads to, not into the one that was there")
  func writes() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    try await observed.write(author: "app") { try $0.execute("INSERT INTO t(id) VALUES (1)") }
    #expect(rename(try copy(file, "copy"), file.path) == 0)
    try await observed.write(author: "app") { try $0.execute("INSERT INTO t(id) VALUES (2)") }
    #expect(try ids(file.path) == [1, 2])
  }

  @Test("reading, too, is of the file that the path leads to, though nobody observes")
  func reads() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    let path = try copy(file, "copy")
    let token = try await StoreWriter(path: path).write(author: "elsewhere") {
      try $0.execute("INSERT INTO t(id) VALUES (7)")
    }
    #expect(rename(path, file.path) == 0)
    try await observed.waitUntil(token)
    let read = try await observed.read { view in
      (try view.rows("SELECT id FROM t").count, view.token)
    }
    #expect(read.0 == 1)
    #expect(read.1 == token)
    #expect(try await observed.state().head == token)
    let page = try await observed.fetchHistory(HistoryDescriptor(after: .after(start)))
    #expect(page.transactions.map(\.author) == ["elsewhere"])
    let observer = try await HistoryObserver(store: observed, after: .after(token))
    #expect(observer.currentToken == token)
  }

  @Test("observers and results go on in a file of the same store that is further on")
  func goesOn() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id FROM t", key: ["id"])
    let path = try copy(file, "copy")
    let token = try await StoreWriter(path: path).write(author: "elsewhere") {
      try $0.execute("INSERT INTO t(id) VALUES (7)")
    }
    #expect(rename(path, file.path) == 0)
    try await observer.waitUntil(token)
    #expect(observer.eventCounter == 1)
    #expect(rows.results.count == 1)
    for await counter in Observations({ observer.eventCounter }) where counter > 0 { break }
    try await observed.write(author: "app") { try $0.execute("INSERT INTO t(id) VALUES (8)") }
    #expect(observer.eventCounter == 2)
    #expect(rows.results.count == 2)
    #expect(observer.error == nil)
  }

  @Test("a write into a file that nobody has noticed yet is told when it returns")
  func writesAtOnce() async throws {
    let file = try store()
    let executor = try LoopExecutor.onOwnThread(name: "loop under test")
    defer { executor.shutdown() }
    // On the loop nothing is noticed until something has to be waited for.
    try await withTaskExecutorPreference(executor) {
      let observed = try ObservedStore(path: file.path, on: executor)
      let observer = try await HistoryObserver(store: observed)
      #expect(rename(try copy(file, "copy"), file.path) == 0)
      let token = try await observed.write(author: "app") {
        try $0.execute("INSERT INTO t(id) VALUES (1)")
      }
      #expect(observer.eventCounter == 1)
      #expect(observer.currentToken == token)
    }
  }

  @Test("observers go on although the new file is locked at first")
  func lockedAtFirst() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id FROM t", key: ["id"])
    let path = try copy(file, "copy")
    let other = try Connection(path: path, access: .readWrite)
    try other.execute("BEGIN EXCLUSIVE; INSERT INTO t(id) VALUES (7)")
    #expect(rename(path, file.path) == 0)
    let (conditions, changed) = AsyncStream.makeStream(of: StoreCondition.self)
    await observed.hub.onCondition { changed.yield($0) }
    let writing = Task {
      // The observers are told by then that they have to wait.
      for await condition in conditions where condition == .locked { break }
      try other.execute("COMMIT")
    }
    try await writing.value
    for await counter in Observations({ observer.eventCounter }) where counter > 0 { break }
    for await results in Observations({ rows.results }) where !results.isEmpty { break }
    #expect(observer.error == nil)
    #expect(rows.error == nil)
  }

  @Test("a store that was moved away and back is no longer said to be missing")
  func backAgain() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let (conditions, changed) = AsyncStream.makeStream(of: StoreCondition.self)
    await observed.hub.onCondition { changed.yield($0) }
    #expect(rename(file.path, file.directory.file("away")) == 0)
    for await condition in conditions where condition == .missing { break }
    #expect(rename(file.directory.file("away"), file.path) == 0)
    for await condition in conditions where condition == .followed { break }
    #expect(observer.error == nil)
  }

  @Test("whoever reads transactions is told of another store alike, waiting or at work")
  func transactionsOfAnotherStore() async throws {
    let (file, other) = (try store(), try store())
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    let observer = try await HistoryObserver(store: observed)
    var working = observed.transactions(after: start).makeAsyncIterator()
    try await observed.write(author: "app") { try $0.execute("INSERT INTO t(id) VALUES (8)") }
    #expect(try await working.next(isolation: nil)?.author == "app")
    #expect(rename(other.path, file.path) == 0)
    for await error in Observations({ observer.error }) where error != nil { break }
    let error = await #expect(throws: HistoryError.self) { try await working.next() }
    #expect(error?.expiryReason == .storeReplaced)
    // Who comes with a token of the other store has made a mistake.
    var stranger = observed.transactions(after: start).makeAsyncIterator()
    let refusal = await #expect(throws: HistoryError.self) { try await stranger.next() }
    #expect(refusal?.code == .foreignToken)
  }

  @Test("another store in its place ends observers, and new ones begin in it")
  func anotherStore() async throws {
    let (file, other) = (try store(), try store())
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id FROM t", key: ["id"])
    let reading = Task { for try await _ in observer.transactions {} }
    #expect(rename(other.path, file.path) == 0)
    for await error in Observations({ observer.error }) where error != nil { break }
    #expect(observer.error?.expiryReason == .storeReplaced)
    for await error in Observations({ rows.error }) where error != nil { break }
    await #expect(throws: HistoryError.self) { try await reading.value }
    let next = try await HistoryObserver(store: observed)
    try await rows.fetch()
    try await observer.resynchronize { _ in }
    try await observed.write(author: "app") { try $0.execute("INSERT INTO t(id) VALUES (8)") }
    #expect(next.eventCounter == 1)
    #expect(observer.eventCounter == 1)
    #expect(rows.results.count == 1)
    #expect(rows.error == nil)
  }
}
