import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Tags that were opened and never closed by their transaction.
@Suite("Open tags")
struct OpenTagTests {
  private static let open = "INSERT INTO history_author(name) VALUES ('app')"
  private static let close = "DELETE FROM history_author"

  @Test("a range without its closing row is untagged")
  func leftOpen() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1), (2); COMMIT")
    #expect(try timeline.groups() == [.init(nil, [1, 2])])
    try timeline.insert(3...3)
    #expect(try timeline.groups() == [.init(nil, [1, 2, 3])])
  }

  @Test("where there is none to discard nobody's lock is waited for")
  func nothingToDiscard() throws {
    let timeline = try Timeline()
    try timeline.insert(1...3)
    try timeline.writer.execute("BEGIN IMMEDIATE")
    #expect(try !timeline.store.opened().discardOpenTag())
    try timeline.writer.execute("COMMIT")
  }

  @Test("closing it a second later in another transaction has no effect")
  func closedLater() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1); COMMIT")
    timeline.clock.advance(milliseconds: 1000)
    try timeline.writer.execute("BEGIN; INSERT INTO t(id) VALUES (2); \(Self.close); COMMIT")
    #expect(try timeline.groups() == [.init(nil, [1]), .init(nil, [2])])
  }

  @Test("closing it where nothing was changed since has no effect either, a second later")
  func closedAlone() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1); COMMIT")
    timeline.clock.advance(milliseconds: 1000)
    try timeline.writer.execute(Self.close)
    #expect(try timeline.groups() == [.init(nil, [1])])
  }

  @Test("the next tag discards it", arguments: [0, 1000])
  func discarded(milliseconds: Int64) throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1); COMMIT")
    timeline.clock.advance(milliseconds: milliseconds)
    try timeline.tagged("widget", "INSERT INTO t(id) VALUES (2)")
    #expect(try timeline.groups() == [.init(nil, [1]), .init("widget", [2])])
  }

  @Test("a library writer's tag discards it")
  func discardedByLibrary() async throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1); COMMIT")
    try await StoreWriter(path: timeline.store.path, retention: nil).write(author: "widget") {
      try $0.run("INSERT INTO t(id) VALUES (2)")
    }
    try timeline.writer.execute(Self.close)
    #expect(try timeline.groups() == [.init(nil, [1]), .init("widget", [2])])
  }

  @Test("closing without opening has no effect")
  func closedOnly() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; INSERT INTO t(id) VALUES (1); \(Self.close); COMMIT")
    try timeline.writer.execute(Self.close)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (2)")
    try timeline.writer.execute(Self.close)
    #expect(try timeline.groups() == [.init(nil, [1]), .init("app", [2])])
  }

  @Test("one that is rolled back was never opened")
  func rolledBack() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1); ROLLBACK")
    try timeline.insert(2...2)
    try timeline.writer.execute(Self.close)
    #expect(try timeline.groups() == [.init(nil, [2])])
  }

  @Test("an empty or missing name is an error", arguments: ["''", "NULL"])
  func emptyName(name: String) throws {
    let timeline = try Timeline()
    #expect(throws: SQLiteError.self) {
      try timeline.writer.execute("INSERT INTO history_author(name) VALUES (\(name))")
    }
    #expect(try timeline.store.opened().state().head.sequence == 0)
  }

  @Test("check tells of it until it is discarded, and then nothing seems to close it")
  func check() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("BEGIN; \(Self.open); INSERT INTO t(id) VALUES (1); COMMIT")
    let store = try timeline.store.opened()
    #expect(try store.check().contains { $0.needsAttention && $0.sentence.contains("tag") })
    #expect(try store.discardOpenTag())
    #expect(try !store.discardOpenTag())
    #expect(try !store.check().contains { $0.needsAttention })
    try timeline.writer.execute(Self.close)
    #expect(try timeline.groups() == [.init(nil, [1])])
  }
}
