import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing
import WatchServer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Keeping a history within its limits", .timeLimit(.minutes(1)))
struct RetentionKeeperTests {
  private static let hour = RetentionLimits(age: .seconds(3600), bytes: nil)

  @Test("what is too old goes, and what is not stays", arguments: TemporaryStore.Journal.allCases)
  func age(journal: TemporaryStore.Journal) async throws {
    let scene = try RetentionScene(Self.hour, journal: journal)
    for id in 1...3 {
      try scene.insert(id)
      await scene.advance(by: .seconds(1000))
    }
    await scene.keeper.start()
    await scene.advance(by: .seconds(1))
    #expect(try scene.kept() == [1, 2, 3])
    // 3,700 seconds after the first, and 2,700 after the second.
    await scene.advance(by: .seconds(700))
    #expect(try scene.kept() == [2, 3])
    #expect(try scene.rows() == 6)
    let counts = await scene.keeper.counts
    #expect(counts.totals.transactions == 1)
    #expect(counts.totals.changes == 1)
    #expect(counts.totals.rows == 3)
    #expect(!counts.isWorking)
    await scene.keeper.stop()
    await scene.advance(by: .seconds(10_000))
    #expect(try scene.kept() == [2, 3])
  }

  @Test("untagged changes go by their own times")
  func untagged() async throws {
    let scene = try RetentionScene(Self.hour)
    try scene.writer.run("INSERT INTO t(id) VALUES (1)")
    await scene.advance(by: .seconds(2000))
    try scene.writer.run("INSERT INTO t(id) VALUES (2)")
    await scene.keeper.start()
    await scene.advance(by: .seconds(1700))
    #expect(try scene.kept() == [2])
  }

  @Test("what is too much goes, the oldest first")
  func size() async throws {
    let scene = try RetentionScene(RetentionLimits(age: nil, bytes: 40_000))
    for id in 1...100 { try scene.insert(id, bytes: 1000) }
    await scene.keeper.start()
    await scene.advance(by: .seconds(10))
    let kept = try scene.kept()
    #expect((34...40).contains(kept.count), "\(kept.count)")
    #expect(kept.last == 100)
    #expect(try scene.store.opened().size().bytes <= 42_000)
    // What comes later counts too.
    for id in 101...200 { try scene.insert(id, bytes: 1000) }
    scene.keeper.committed()
    await scene.advance(by: .seconds(10))
    let later = try scene.kept()
    #expect((34...40).contains(later.count), "\(later.count)")
    #expect(later.last == 200)
  }

  @Test("a large backlog goes in many steps, and pages are used again")
  func backlog() async throws {
    let scene = try RetentionScene(Self.hour)
    try scene.writer.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    await scene.advance(by: .seconds(7200))
    try scene.insert(50_000)
    await scene.keeper.start()
    await scene.advance(by: .seconds(60))
    #expect(try scene.kept() == [50_000])
    #expect(try scene.rows() == 3)
    let counts = await scene.keeper.counts
    #expect(counts.totals.changes == 30_000)
    #expect(counts.totals.steps > 5)
  }

  @Test("a consumer holds its part back until it moves, but not for ever")
  func consumer() async throws {
    let scene = try RetentionScene(Self.hour)
    try scene.insert(1)
    let position = try scene.store.opened().state().head
    for id in 2...3 { try scene.insert(id) }
    _ = try Consumers(scene.store.opened()).create("mirror", at: .after(position))
    await scene.advance(by: .seconds(7200))
    await scene.keeper.start()
    await scene.advance(by: .seconds(1))
    #expect(try scene.kept() == [2, 3])
    #expect(await scene.keeper.counts.heldBy == "mirror")
    #expect(scene.events.withLock { $0 } == ["held by mirror"])
    try Consumers(scene.store.opened()).acknowledge(
      "mirror", scene.store.recorded().transactions[0].token)
    await scene.advance(by: .seconds(61))
    #expect(try scene.kept() == [3])
    // More than thirty days without a move; only the writer's clock is the test's.
    try scene.writer.execute("UPDATE _history_consumer SET at = 2400000")
    await scene.advance(by: .seconds(61))
    #expect(try scene.kept() == [])
    #expect(scene.events.withLock { $0 } == ["held by mirror", "held by nobody"])
  }

  @Test("nobody is woken more than once a minute while nothing happens")
  func idle() async throws {
    let scene = try RetentionScene(.standard)
    try scene.insert(1)
    await scene.keeper.start()
    await scene.advance(by: .seconds(3600))
    #expect(scene.clock.rings == 61)
  }

  @Test("commits wake it at most every five seconds")
  func busyStore() async throws {
    let scene = try RetentionScene(.standard)
    await scene.keeper.start()
    await scene.advance()
    for second in 1...60 {
      try scene.insert(second)
      for _ in 0..<10 { scene.keeper.committed() }
      await scene.advance(by: .seconds(1))
    }
    #expect((12...14).contains(scene.clock.rings), "\(scene.clock.rings)")
  }

  @Test("a lock that somebody has is not waited for; work goes on when it is free")
  func locked() async throws {
    let scene = try RetentionScene(Self.hour)
    try scene.insert(1)
    await scene.advance(by: .seconds(7200))
    try scene.insert(2)
    try scene.writer.execute("BEGIN IMMEDIATE; INSERT INTO t(id) VALUES (3)")
    await scene.keeper.start()
    await scene.advance(by: .seconds(10))
    #expect(await scene.keeper.counts.timesPutOff > 10)
    #expect(await scene.keeper.counts.failures == 0)
    try scene.writer.execute("COMMIT")
    await scene.advance(by: .seconds(10))
    #expect(try scene.kept() == [2, 3])
  }

  @Test("a store that is missing is said once, and kept when it is there")
  func missing() async throws {
    let scene = try RetentionScene(Self.hour, isMissing: true)
    try scene.insert(1)
    await scene.keeper.start()
    await scene.advance(by: .seconds(300))
    #expect(scene.events.withLock { $0 } == ["failed storeUnavailable"])
    try scene.writer.execute("VACUUM INTO '\(scene.keeper.path)'")
    await scene.advance(by: .seconds(7200))
    #expect(scene.events.withLock { $0 } == ["failed storeUnavailable", "recovered"])
    #expect(await scene.keeper.counts.totals.transactions == 1)
  }

  @Test("a store that takes the place of another is kept as well")
  func replaced() async throws {
    let scene = try RetentionScene(Self.hour)
    try scene.insert(1)
    await scene.keeper.start()
    await scene.advance()
    let copy = scene.store.directory.file("copy.db")
    try scene.writer.execute("VACUUM INTO '\(copy)'")
    try scene.writer.close()
    try #require(rename(copy, scene.store.path) == 0)
    await scene.advance(by: .seconds(7200))
    #expect(try scene.store.recorded().transactions.isEmpty)
    #expect(scene.events.withLock { $0 }.isEmpty)
  }

  @Test("what is no store is said, and does no harm")
  func untracked() async throws {
    let scene = try RetentionScene(Self.hour)
    try Untracker(scene.store.opened()).dropHistory()
    await scene.keeper.start()
    await scene.advance(by: .seconds(300))
    #expect(scene.events.withLock { $0 } == ["failed notTracked"])
  }

  @Test("other limits count at once")
  func limits() async throws {
    let scene = try RetentionScene(RetentionLimits(age: nil, bytes: nil))
    try scene.insert(1)
    await scene.advance(by: .seconds(7200))
    await scene.keeper.start()
    await scene.advance(by: .seconds(120))
    #expect(try scene.kept() == [1])
    await scene.keeper.setLimits(Self.hour)
    await scene.advance(by: .seconds(1))
    #expect(try scene.kept() == [])
  }

  @Test(
    "a writer without a busy timeout in another process does not lose what it wrote, and gets on")
  func writerWithoutTimeout() async throws {
    let scene = try RetentionScene(Self.hour)
    try scene.writer.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    await scene.advance(by: .seconds(7200))
    let other = try WriterProcess(path: scene.store.path, busyTimeout: 0)
    await scene.keeper.start()
    for script in 1...12 {
      // Each ends at its first refusal; the keeper goes on meanwhile.
      let ids = (0..<25).map { 100_000 + script * 100 + $0 }
      try other.send(ids.map { "INSERT INTO t(id) VALUES (\($0))" }.joined(separator: ";"))
      for _ in 0..<10 { await scene.advance(by: .milliseconds(10)) }
      _ = try? other.answer()
    }
    await scene.advance(by: .seconds(60))
    // Its rows have the real time, a year after the test's.
    let written = try scene.writer.rows("SELECT id FROM t WHERE id > 100000 ORDER BY id")
    #expect(try scene.kept() == written.compactMap { $0[0].integer })
    #expect(!written.isEmpty)
    #expect(await scene.keeper.counts.totals.changes == 20_000)
  }
}
