import EventLoop
import HistoryTestSupport
import Testing

@testable import WatchServer

/// How a server asks its stores.
@Suite("Asking the stores", .timeLimit(.minutes(1)))
struct AskingTests {
  @Test("all are asked at once, so that one that cannot be read holds up no other")
  func together() async throws {
    let others = try (0..<3).map { _ in
      let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
      try store.track()
      return store
    }
    let stage = try await ServingStage(others: others.map(\.path))
    let asked = Guarded(0)
    let seen = await stage.server.askAll { store in
      asked.withLock { $0 += 1 }
      // Nobody answers before all were asked, or never will be.
      var turns = 0
      while asked.withLock({ $0 }) < 4, turns < 10_000 {
        turns += 1
        await Task.yield()
      }
      return asked.withLock { $0 }
    }
    #expect(seen == [4, 4, 4, 4])
    let paths = await stage.server.askAll { $0.path }
    #expect(paths == [stage.file.path] + others.map(\.path))
    let status = await ServerStatus(stage.server)
    #expect(status.stores.map(\.path) == paths)
    await stage.stop()
  }
}
