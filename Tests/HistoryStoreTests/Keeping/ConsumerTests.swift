import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
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
