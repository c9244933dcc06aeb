import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Testing

@Suite("What was handed out last")
struct RecentLinesTests {
  @Test(
    "leads from each position in it to the head, by the lines that reading gives",
    .timeLimit(.minutes(1)))
  func leadsToHead() async throws {
    let stage = try await Stage()
    var tokens = [stage.start]
    for number in 1...8 {
      tokens.append(try await stage.write("INSERT INTO tasks(title) VALUES ('task \(number)')"))
    }
    try await stage.hub.waitUntil(tokens[8])
    for token in tokens {
      #expect(await stage.recent(after: token) == (try await stage.read(after: token)))
    }
    stage.stop()
  }

  @Test("is no more than a little for each who receives", .timeLimit(.minutes(1)))
  func isLimited() async throws {
    let stage = try await Stage()
    var last = stage.start
    for _ in 1...40 {
      last = try await stage.write("INSERT INTO tasks(title) VALUES (hex(zeroblob(500)))")
      // One page for each, however fast they are written.
      try await stage.hub.waitUntil(last)
    }
    #expect(await stage.recent(after: stage.start).isEmpty)
    let next = try await stage.write("INSERT INTO tasks(title) VALUES ('next')")
    try await stage.hub.waitUntil(next)
    #expect(await stage.recent(after: last) == (try await stage.read(after: last)))
    #expect(await !stage.recent(after: last).isEmpty)
    stage.stop()
  }

  /// A store that somebody receives the lines of.
  private struct Stage {
    let file: TemporaryStore
    let executor: LoopExecutor
    let store: ObservedStore
    let receiver = Receiver()
    let request = LineRequest(filter: ChangeFilter(), group: .row)
    let start: HistoryToken

    var hub: StoreHub { store.hub }

    init() async throws {
      file = try TemporaryStore(sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT)")
      try file.track()
      executor = try LoopExecutor.onOwnThread(name: "recent")
      store = try ObservedStore(path: file.path, on: executor)
      start = try await store.hub.storeState().head
      _ = try #require(try await store.hub.join(receiver, request, at: start))
    }

    func write(_ sql: String) async throws -> HistoryToken {
      try await StoreWriter(path: file.path).write(author: "app") { try $0.execute(sql) }
    }

    /// What is at hand, from page to page.
    func recent(after token: HistoryToken) async -> [UInt8] {
      var (bytes, position) = ([UInt8](), token)
      while let page = await hub.recentLines(request, after: position) {
        bytes += page.lines.bytes
        position = page.until
      }
      return bytes
    }

    func read(after token: HistoryToken) async throws -> [UInt8] {
      let cursor = try await hub.openLines(request, after: token)
      var bytes: [UInt8] = []
      while true {
        let (page, state) = try await hub.readLines(cursor)
        bytes += page.lines.bytes
        guard state == .more else { break }
      }
      await hub.closeLines(cursor)
      return bytes
    }

    func stop() { withExtendedLifetime(receiver) { executor.letGo() } }
  }

  private final class Receiver: LineReceiver {
    func received(_ page: LinePage) {}
    func mustRead() {}
    func failed(_ error: HistoryError) {}
  }
}
