import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// What is left when observers go: nothing.
///
/// Descriptors and threads are counted for the whole process, in which other tests run at the same
/// time; five hundred rounds make anything that is left stand out.
@Suite("Observation lifetime", .timeLimit(.minutes(2)))
struct ObservationLifetimeTests {
  /// How many more descriptors or threads there may be than before: what other tests have open.
  private static let noise = 300

  private func store() throws -> TemporaryStore {
    let file = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try file.track()
    return file
  }

  @Test("five hundred observers of one store leave no descriptor, handle or thread")
  func observersGo() async throws {
    let file = try store()
    let executor = try LoopExecutor.onOwnThread(name: "loop under test")
    let before = try HeldResources()
    do {
      let observed = try ObservedStore(path: file.path, on: executor)
      for _ in 0..<500 {
        let observer = try await HistoryObserver(store: observed)
        let token = observer.observe { _ in }
        try await observed.waitUntil(observer.currentToken)
        withExtendedLifetime(token) {}
      }
    }
    let after = try HeldResources()
    #expect(after.descriptors <= before.descriptors + Self.noise)
    #expect(after.threads <= before.threads + Self.noise)
    // A loop does not end before its last handle was closed.
    executor.shutdown()
  }

  @Test("five hundred stores that were opened, observed and let go leave nothing")
  func storesGo() async throws {
    let file = try store()
    let before = try HeldResources()
    for number in 0..<500 {
      let observed = try ObservedStore(path: file.path)
      let observer = try await HistoryObserver(store: observed)
      let reading =
        number % 10 == 0 ? Task { for try await _ in observer.transactions {} } : nil
      if number % 10 == 1 {
        try await observed.write(author: "app") { try $0.execute("INSERT INTO t DEFAULT VALUES") }
        #expect(observer.eventCounter == 1)
      }
      reading?.cancel()
      try await reading?.value
    }
    let after = try HeldResources.settled(threads: before.threads + Self.noise)
    #expect(after.descriptors <= before.descriptors + Self.noise)
    #expect(after.threads <= before.threads + Self.noise)
  }
}
