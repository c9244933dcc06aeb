import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Calls that overlap each other, or commits that nobody has noticed yet.
@Suite("Observation interleaving", .timeLimit(.minutes(1)))
struct ObservationInterleavingTests {
  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE TABLE u(id INTEGER PRIMARY KEY, v)")
    try store.track()
    return store
  }

  /// Runs a body on the loop that the store is read on, so that it is known what runs meanwhile:
  /// nothing of what the kernel tells, until the body has to wait for something.
  private func onLoop(
    _ file: TemporaryStore, _ body: @escaping @Sendable (ObservedStore) async throws -> Void
  ) async throws {
    let executor = try LoopExecutor.onOwnThread(name: "loop under test")
    defer { executor.shutdown() }
    try await withTaskExecutorPreference(executor) {
      try await body(ObservedStore(path: file.path, on: executor))
    }
  }

  @Test("an observer that begins now does not count what was committed before, noticed or not")
  func beginsNow() async throws {
    let file = try store()
    try await onLoop(file) { observed in
      let first = try await HistoryObserver(store: observed)
      try file.connection().execute("INSERT INTO t DEFAULT VALUES")
      let head = try await observed.state().head
      let observer = try await HistoryObserver(store: observed)
      #expect(observer.currentToken == head)
      try await observed.waitUntil(head)
      #expect(observer.eventCounter == 0)
      #expect(first.eventCounter == 1)
    }
  }

  @Test("resynchronizing neither reads nor counts anything twice")
  func resynchronizes() async throws {
    let file = try store()
    try await onLoop(file) { observed in
      let observer = try await HistoryObserver(store: observed)
      try file.connection().execute("INSERT INTO t DEFAULT VALUES")
      let count = try await observer.resynchronize { try $0.rows("SELECT * FROM t").count }
      #expect(count == 1)
      let head = try await observed.state().head
      try await observed.waitUntil(head)
      #expect(observer.eventCounter == 0)
      #expect(observer.currentToken == head)
    }
  }

  @Test("resynchronizing twice at once leaves the observer told once")
  func resynchronizesTwice() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    for round in 1...20 {
      async let one: Void = observer.resynchronize { _ in }
      async let two: Void = observer.resynchronize { _ in }
      _ = try await (one, two)
      try await observed.write(author: "app") { try $0.execute("INSERT INTO t DEFAULT VALUES") }
      #expect(observer.eventCounter == round)
    }
  }

  @Test("a failed resynchronization is not forgotten: the observer says that it counts no further")
  func resynchronizationFails() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let writer = try file.connection()
    // What it read is dropped from the history before it can go on from there.
    let drops: @Sendable (ReadView) throws -> Void = { _ in
      try Untracker(file.opened()).dropHistory()
    }
    await #expect(throws: (any Error).self) { try await observer.resynchronize(drops) }
    withExtendedLifetime(writer) {}
    #expect(observer.error != nil)
  }
}
