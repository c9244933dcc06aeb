import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Synchronization
import Testing

@Suite("Consumers")
struct ConsumerTests {
  @Test("a new one begins at the head, at the oldest position, or where it is told")
  func create() throws {
    let timeline = try Timeline()
    try timeline.insert(1...3)
    let store = try timeline.store.opened()
    let consumers = Consumers(store)
    let state = try store.state()
    #expect(try consumers.create("a", at: .now) == state.head)
    #expect(try consumers.create("b", at: .oldest) == state.oldest)
    #expect(try consumers.create("c", at: .after(state.head)) == state.head)
    try timeline.insert(4...5)
    let list = try consumers.list()
    #expect(list.map(\.name) == ["a", "b", "c"])
    #expect(list.map(\.lag) == [2, 5, 2])
    #expect(list.map(\.token) == [state.head, state.oldest, state.head])
    #expect(list.allSatisfy { $0.movedAt != nil })
  }

  @Test("it moves forwards and back, and is removed")
  func move() throws {
    let timeline = try Timeline()
    let consumers = Consumers(try timeline.store.opened())
    let start = try consumers.create("a", at: .now)
    try timeline.insert(1...3)
    let head = try timeline.store.opened().state().head
    try consumers.acknowledge("a", head)
    #expect(try consumers.position(of: "a") == head)
    #expect(try consumers.list().map(\.lag) == [0])
    try consumers.acknowledge("a", start)
    #expect(try consumers.position(of: "a") == start)
    try consumers.remove("a")
    #expect(try consumers.list().isEmpty)
  }

  @Test("none may begin at, or move to, what cannot be read from")
  func unusable() throws {
    let timeline = try Timeline()
    let other = try Timeline()
    let foreign = try other.store.opened().state().head
    try timeline.insert(1...3)
    let store = try timeline.store.opened()
    let consumers = Consumers(store)
    let oldest = try store.state().oldest
    _ = try consumers.create("a", at: .now)
    _ = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: false)
    for (token, code) in [
      (oldest, HistoryError.Code.historyTokenExpired), (foreign, HistoryError.Code.foreignToken),
    ] {
      #expect(
        #expect(throws: HistoryError.self) { try consumers.create("b", at: .after(token)) }?.code
          == code)
      #expect(
        #expect(throws: HistoryError.self) { try consumers.acknowledge("a", token) }?.code == code)
    }
    #expect(try consumers.list().map(\.name) == ["a"])
  }

  @Test("a name that is not there, or is taken, is refused")
  func names() throws {
    let timeline = try Timeline()
    let consumers = Consumers(try timeline.store.opened())
    let head = try consumers.create("a", at: .now)
    #expect(throws: HistoryError.self) { try consumers.create("a", at: .now) }
    for body in [
      { _ = try consumers.position(of: "b") }, { try consumers.remove("b") },
      { try consumers.acknowledge("b", head) },
    ] as [() throws -> Void] {
      #expect(#expect(throws: HistoryError.self) { try body() }?.code == .noSuchConsumer)
    }
    _ = try consumers.create("A", at: .now)
    _ = try consumers.create("a'\"; b", at: .now)
    #expect(try consumers.list().count == 3)
  }

  @Test("trimming stops at the one furthest behind, unless forced")
  func hold() throws {
    let timeline = try Timeline()
    let store = try timeline.store.opened()
    let consumers = Consumers(store)
    var tokens: [HistoryToken] = []
    for id in 1...4 {
      try timeline.tagged("app", "INSERT INTO t(id) VALUES (\(id))")
      tokens.append(try store.state().head)
    }
    _ = try consumers.create("fast", at: .after(tokens[2]))
    _ = try consumers.create("slow", at: .after(tokens[0]))
    let held = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: false)
    #expect(held.heldBy == "slow")
    #expect(held.oldest == tokens[0])
    #expect(held.transactions == 1)
    // What a policy would keep anyway nobody holds.
    #expect(try HistoryTrimmer(store).trim(keeping: .newest(4), isForced: false).heldBy == nil)
    let forced = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: true)
    #expect(forced.heldBy == nil)
    #expect(forced.oldest == tokens[3])
    #expect(forced.transactions == 3)
    #expect(try store.resolve(.after(tokens[0])).position == .expired(tokens[0], .trimmed))
    // The consumer is still there, and can be moved to what is left.
    try consumers.acknowledge("slow", forced.oldest)
  }

  @Test("one that has not moved for thirty days holds nothing back")
  func longestHold() throws {
    for (days, isHolding) in [(29.9, true), (30.1, false)] {
      let timeline = try Timeline()
      try timeline.insert(1...3)
      let store = try timeline.store.opened()
      _ = try Consumers(store).create("old", at: .oldest)
      try timeline.store.connection().run(
        "UPDATE _history_consumer SET at = julianday('now') - ?", .real(days))
      let outcome = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: false)
      #expect((outcome.heldBy == "old") == isHolding)
      #expect((outcome.transactions == 0) == isHolding)
    }
  }

  /// Trims by each of the three ways to at most nothing, and says how many rows can still be read.
  private func left(_ timeline: Timeline, _ way: Int) async throws -> Int {
    let store = try timeline.store.opened()
    switch way {
    case 0: _ = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: false)
    case 1:
      let retention = try HistoryRetention(
        path: timeline.store.path, limits: RetentionLimits(age: .seconds(1), bytes: nil))
      for _ in 0..<100 {
        switch try retention.look(now: CalendarTime(milliseconds: timeline.clock.now + 60_000)) {
        case .nothing: return try timeline.groups().count
        case .unfinished: break
        case .work: #expect(try retention.work())
        }
      }
      Issue.record("the retention never comes to its end")
    default:
      let writer = try StoreWriter(path: timeline.store.path)
      for _ in 1...20 {
        try await writer.write(author: "new") { try $0.run("INSERT INTO t DEFAULT VALUES") }
      }
      return try timeline.groups().count { $0.author != "new" }
    }
    return try timeline.groups().count
  }

  @Test("one whose position was dropped by force holds nothing back any more", arguments: 0..<3)
  func expired(way: Int) async throws {
    let timeline = try Timeline()
    try timeline.tagged("app", "INSERT INTO t DEFAULT VALUES")
    let store = try timeline.store.opened()
    _ = try Consumers(store).create("lost", at: .oldest)
    #expect(try await left(timeline, way) == 1)
    _ = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: true)
    try timeline.tagged("app", "INSERT INTO t DEFAULT VALUES")
    timeline.clock.advance(milliseconds: 10)
    #expect(try await left(timeline, way) == 0)
    // One at the cut itself has lost nothing, and holds.
    _ = try Consumers(store).create("there", at: .oldest)
    try timeline.tagged("app", "INSERT INTO t DEFAULT VALUES")
    #expect(try await left(timeline, way) == 1)
  }

  @Test(
    "one that a clock moved which was ahead holds for thirty days from when that is noticed",
    arguments: 0..<3, ["julianday('now') + 4000", "'x'"])
  func clockWasAhead(way: Int, moment: String) async throws {
    let timeline = try Timeline()
    try timeline.tagged("app", "INSERT INTO t DEFAULT VALUES")
    let store = try timeline.store.opened()
    _ = try Consumers(store).create("old", at: .oldest)
    try timeline.store.connection().execute("UPDATE _history_consumer SET at = \(moment)")
    // A consumer that is alive loses nothing.
    #expect(try await left(timeline, way) == 1)
    let ahead = try timeline.store.connection().row(
      "SELECT at > julianday('now') + 0.1 FROM _history_consumer")
    #expect(ahead?[0].integer == 0)
  }

  @Test("a consumer that comes while a trim is under way loses nothing")
  func meanwhile() async throws {
    let timeline = try Timeline()
    let path = timeline.store.path
    let isOver = Flag()
    async let count: Void = Self.comeAndGo(path, until: isOver)
    let store = try TrackedStore(path: path, access: .readWrite)
    try timeline.writer.execute("PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF")
    for round in 0..<4 {
      try timeline.writer.execute(
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
        INSERT INTO t(id) SELECT i + \(round * 10000) FROM n
        """)
      _ = try HistoryTrimmer(store).trim(keeping: .after(store.state().head), isForced: false)
    }
    isOver.value.withLock { $0 = true }
    try await count
  }

  private final class Flag: Sendable {
    let value = Mutex(false)
  }

  @concurrent
  private static func comeAndGo(_ path: String, until isOver: Flag) async throws {
    let store = try TrackedStore(path: path, access: .readWrite)
    while !isOver.value.withLock({ $0 }) {
      let token = try Consumers(store).create("late", at: .oldest)
      for _ in 0..<5 {
        #expect(try store.resolve(.after(token)).position == .usable(token))
      }
      try Consumers(store).remove("late")
      await Task.yield()
    }
  }

  @Test("without a history there are none")
  func untracked() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let consumers = Consumers(try store.opened())
    for body in [
      { _ = try consumers.list() }, { _ = try consumers.create("a", at: .now) },
      { _ = try consumers.position(of: "a") }, { try consumers.remove("a") },
    ] as [() throws -> Void] {
      #expect(#expect(throws: HistoryError.self) { try body() }?.code == .notTracked)
    }
  }
}
