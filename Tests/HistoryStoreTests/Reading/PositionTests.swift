import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Whether a token still means what it meant.
@Suite("Positions")
struct PositionTests {
  private func resolved(_ token: HistoryToken, _ store: TemporaryStore) throws -> ResolvedPosition {
    try store.opened().resolve(.after(token)).position
  }

  @Test("now is the head, oldest the oldest, and a token itself")
  func usable() throws {
    let timeline = try Timeline()
    try timeline.insert(1...3)
    let store = try timeline.store.opened()
    let state = try store.state()
    #expect(try store.resolve(.now).position == .usable(state.head))
    #expect(try store.resolve(.oldest).position == .usable(state.oldest))
    #expect(try store.resolve(.after(state.head)).position == .usable(state.head))
    #expect(try store.resolve(.now).state == state)
    #expect(state.epoch == 1)
    #expect(state.oldest.sequence == 0)
    #expect(state.head.sequence == 3)
  }

  @Test("a token of another store is foreign, also when all else is alike")
  func foreign() throws {
    let (one, two) = (try Timeline(), try Timeline())
    try one.insert(1...2)
    try two.insert(1...2)
    for token in [try one.store.opened().state().head, try one.store.opened().state().oldest] {
      let error = #expect(throws: HistoryError.self) { try self.resolved(token, two.store) }
      #expect(error?.code == .foreignToken)
    }
  }

  @Test("a reader at the cut notices a restored store that was cut at the same number")
  func sameCutInAnotherTime() throws {
    let timeline = try Timeline()
    try timeline.insert(1...1)
    let backup = timeline.store.directory.file("backup.db")
    try Backup.copy(from: timeline.store.connection(), to: backup)
    /// One more row, and nothing of the history left but the cut after it.
    func goOn(_ id: Int) throws -> HistoryToken {
      try timeline.insert(id...id)
      let store = try timeline.store.opened()
      let head = try store.state().head
      _ = try HistoryTrimmer(store).trim(keeping: .after(head), isForced: false)
      return head
    }
    let before = try goOn(2)
    let reader = try HistoryReader(timeline.store.opened(), after: before)
    #expect(try reader.read { _ in .goOn } == .atHead)
    try Backup.copy(
      from: Connection(path: backup, access: .readOnly), into: timeline.store.connection())
    let after = try goOn(3)
    #expect(before.sequence == after.sequence)
    try timeline.insert(4...4)
    #expect(try reader.read { _ in .goOn } == .expired(.storeRestored))
  }

  @Test("what was trimmed has expired, the cut itself has not")
  func trimmed() throws {
    let timeline = try Timeline()
    var tokens: [HistoryToken] = []
    for id in 1...4 {
      try timeline.tagged("app", "INSERT INTO t(id) VALUES (\(id))")
      tokens.append(try timeline.store.opened().state().head)
    }
    let first = try timeline.store.opened().state().oldest
    let store = try timeline.store.opened()
    _ = try HistoryTrimmer(store).trim(keeping: .after(tokens[1]), isForced: false)
    func expectAll() throws {
      #expect(try resolved(first, timeline.store) == .expired(first, .trimmed))
      #expect(try resolved(tokens[0], timeline.store) == .expired(tokens[0], .trimmed))
      #expect(try resolved(tokens[1], timeline.store) == .usable(tokens[1]))
      #expect(try resolved(tokens[2], timeline.store) == .usable(tokens[2]))
    }
    try expectAll()
    try timeline.sweep()
    try expectAll()
    #expect(try timeline.store.recorded().transactions.count == 2)
  }

  @Test("a token is tied to what stands at it, not to its number")
  func wrongCheck() throws {
    let timeline = try Timeline()
    try timeline.insert(1...3)
    let head = try timeline.store.opened().state().head
    for token in [
      HistoryToken(
        storeIdentifier: head.storeIdentifier, epoch: 1, sequence: 3, check: head.check ^ 1),
      HistoryToken(
        storeIdentifier: head.storeIdentifier, epoch: 1, sequence: 2, check: head.check),
      HistoryToken(
        storeIdentifier: head.storeIdentifier, epoch: 1, sequence: 4, check: head.check),
      HistoryToken(
        storeIdentifier: head.storeIdentifier, epoch: 2, sequence: 3, check: head.check),
      HistoryToken(storeIdentifier: head.storeIdentifier, epoch: 1, sequence: 0, check: 0),
    ] {
      #expect(try resolved(token, timeline.store) == .expired(token, .storeRestored))
    }
  }

  @Test(
    "a restored store is recognised, before and after it has grown past the position",
    arguments: [true, false], [0, 1, 10])
  func restored(isTagged: Bool, growth: Int) throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    let kept = try timeline.store.opened().state().head
    let copy = timeline.store.directory.file("copy")
    try Backup.copy(from: timeline.writer, to: copy)
    // The same rows, written at another moment.
    if isTagged { try timeline.tagged("app", "INSERT INTO t(id) VALUES (3)") }
    try timeline.insert(4...4)
    let lost = try timeline.store.opened().state().head
    try Backup.copy(from: Connection(path: copy), into: timeline.writer)
    timeline.clock.advance(milliseconds: 1)
    if growth > 0 {
      if isTagged { try timeline.tagged("app", "INSERT INTO t(id) VALUES (3)") }
      try timeline.insert(4...(3 + growth))
    }
    #expect(try resolved(lost, timeline.store) == .expired(lost, .storeRestored))
    #expect(try resolved(kept, timeline.store) == .usable(kept))
  }

  @Test(
    "a reader notices in its next page that the store was restored under it", arguments: [0, 5])
  func restoredWhileReading(growth: Int) throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    let copy = timeline.store.directory.file("copy")
    try Backup.copy(from: timeline.writer, to: copy)
    try timeline.insert(3...6)
    let store = try timeline.store.opened()
    let reader = try HistoryReader(store, after: store.state().oldest)
    var count = 0
    #expect(
      try reader.read { _ in
        count += 1
        return count == 4 ? .pause : .goOn
      } == .more)
    try Backup.copy(from: Connection(path: copy), into: timeline.writer)
    timeline.clock.advance(milliseconds: 1)
    if growth > 0 { try timeline.insert(3...(2 + growth)) }
    #expect(try reader.read { _ in .goOn } == .expired(.storeRestored))
  }

  @Test("a reader notices that its position was trimmed, or that the history was dropped")
  func lostWhileReading() throws {
    let timeline = try Timeline()
    try timeline.insert(1...1)
    let store = try timeline.store.opened()
    let reader = try HistoryReader(store, after: store.state().oldest)
    #expect(try reader.read { _ in .goOn } == .atHead)
    try timeline.insert(2...5)
    let other = try timeline.store.opened()
    _ = try HistoryTrimmer(other).trim(keeping: .newest(0), isForced: false)
    #expect(try reader.read { _ in .goOn } == .expired(.trimmed))
    try Untracker(other).dropHistory()
    #expect(try reader.read { _ in .goOn } == .expired(.historyDropped))
  }

  @Test("after the history was dropped and begun anew its old tokens are foreign")
  func droppedAndTracked() throws {
    let timeline = try Timeline()
    try timeline.insert(1...1)
    let store = try timeline.store.opened()
    let reader = try HistoryReader(store, after: store.state().oldest)
    let token = try store.state().head
    try Untracker(timeline.store.opened()).dropHistory()
    #expect(throws: HistoryError.self) { try store.state() }
    try timeline.store.track()
    try timeline.insert(2...2)
    let error = #expect(throws: HistoryError.self) { try self.resolved(token, timeline.store) }
    #expect(error?.code == .foreignToken)
    #expect(try reader.read { _ in .goOn } == .expired(.storeReplaced))
  }

  @Test("a copy with a new identity has the history, and none of the tokens")
  func newIdentity() throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    let before = try timeline.store.opened().state()
    let outcome = try Tracker(timeline.store.opened()).track(
      Tracker.Request(makesNewIdentity: true))
    #expect(outcome.begun.isEmpty)
    let after = try timeline.store.opened().state()
    #expect(after.storeIdentifier != before.storeIdentifier)
    #expect(after.head.sequence == before.head.sequence)
    for token in [before.head, before.oldest] {
      #expect(throws: HistoryError.self) { try self.resolved(token, timeline.store) }
    }
    #expect(try resolved(after.oldest, timeline.store) == .usable(after.oldest))
    #expect(try timeline.store.recorded().lines.count == 2)
    try timeline.insert(3...3)
    #expect(try timeline.store.recorded(after: after.head).lines.count == 1)
  }

  @Test("a copy with a new identity keeps its consumers usable, or drops them")
  func newIdentityWithConsumers() throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    _ = try Consumers(timeline.store.opened()).create("reader", at: .now)
    _ = try Tracker(timeline.store.opened()).track(Tracker.Request(makesNewIdentity: true))
    try timeline.insert(3...3)
    let store = try timeline.store.opened()
    for consumer in try Consumers(store).list() {
      #expect(try store.resolve(.after(consumer.token)).position == .usable(consumer.token))
    }
    // Whatever became of them, trimming still works.
    #expect(throws: Never.self) {
      try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: false)
    }
  }
}
