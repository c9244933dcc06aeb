import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import Testing

@Suite("Where a relay begins, and begins anew")
struct RelayBeginningTests {
  private let server = MemoryServer()

  private func makePair() throws -> RelayPair { try RelayPair(MemoryScene(server: server)) }

  private func trim(_ relayed: RelayPair, _ place: Int = 0) throws {
    _ = try HistoryTrimmer(relayed.pair.stores[place].opened()).trim(
      keeping: .newest(1), isForced: true)
  }

  private func code(_ body: () async throws -> Void) async -> HistoryError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? HistoryError)?.code
    }
  }

  private func write(_ relayed: RelayPair, _ range: ClosedRange<Int>) throws {
    for number in range { try relayed.write("INSERT INTO t VALUES(\(number), 'row \(number)')") }
  }

  @Test("where the history was trimmed it begins with the rows, and goes on with the history")
  func snapshot() async throws {
    let relayed = try makePair()
    try write(relayed, 1...200)
    try trim(relayed)
    try await relayed.relay()
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
    try write(relayed, 201...210)
    try await relayed.relay()
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
    // Only the changes came.
    #expect(try relayed.pair.lines(1).suffix(10) == relayed.pair.lines(0).suffix(10))
  }

  @Test("rows that broke off begin anew, and whoever has read the first part drops it")
  func interruptedSnapshot() async throws {
    let relayed = try makePair()
    try write(relayed, 1...200)
    try trim(relayed)
    let first = try relayed.makeRelay()
    var steps = 1
    while first.messageCount < 2 {
      try await relayed.drive(first, steps: steps)
      steps += 1
    }
    // Of rows alone nothing is applied.
    #expect(await code { try await relayed.follow() } == .temporary)
    #expect(try relayed.rows(1).isEmpty)
    try relayed.write("DELETE FROM t WHERE id < 5")
    try await relayed.relay()
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
  }

  @Test("where the last message leads nowhere it stops, and begins anew when it is told to")
  func expired() async throws {
    let relayed = try makePair()
    try write(relayed, 1...5)
    try await relayed.relay()
    try await relayed.follow()
    try write(relayed, 6...9)
    try trim(relayed)
    #expect(await code { try await relayed.relay() } == .historyTokenExpired)
    var options = HistoryRelay.Options()
    options.beginsAnew = true
    try await relayed.relay(options)
    #expect(await code { try await relayed.follow() } == .historyTokenExpired)
    try relayed.pair.writeUntagged(1, "INSERT INTO t VALUES(1000, 'own')")
    try await relayed.follow(resynchronizes: true)
    #expect(try relayed.rows(1).dropLast() == relayed.rows(0)[...])
    #expect(relayed.outcome?.inserted == 4 && relayed.outcome?.kept == 1)
    // From then on it follows as before.
    try write(relayed, 10...12)
    try await relayed.relay()
    try await relayed.follow()
    #expect(try relayed.rows(1).dropLast() == relayed.rows(0)[...])
  }

  @Test("a new beginning that broke off is still one after it was begun again")
  func interruptedReset() async throws {
    let relayed = try makePair()
    try write(relayed, 1...200)
    try await relayed.relay()
    try await relayed.follow()
    var options = HistoryRelay.Options()
    options.beginsAnew = true
    let relay = try relayed.makeRelay(options)
    var steps = 1
    while relay.messageCount < 1 {
      try await relayed.drive(relay, steps: steps)
      steps += 1
    }
    try write(relayed, 201...202)
    try await relayed.relay()
    #expect(await code { try await relayed.follow() } == .historyTokenExpired)
    try await relayed.follow(resynchronizes: true)
    #expect(try relayed.rows(1) == relayed.rows(0))
  }

  @Test("what the carrier no longer has is told, also to who begins")
  func expiredMessages() async throws {
    let relayed = try makePair()
    for number in 0..<5 {
      try write(relayed, (number * 10 + 1)...(number * 10 + 10))
      try await relayed.relay()
      if number == 1 { try await relayed.follow() }
    }
    let relay = try relayed.makeRelay()
    try await relayed.drive(relay)
    #expect(relay.hasBeginning)
    server.expire(keeping: 7)
    try await relayed.drive(relay)
    #expect(!relay.hasBeginning)
    // What follows is still there.
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
    let other = try RelayPair(MemoryScene(server: server))
    let follower = RelayFollower(
      try HistoryApplier(path: other.pair.stores[1].path), following: relayed.identifier,
      resynchronizes: false)
    #expect(
      await code {
        _ = try await follower.begin(MemoryCarrier(server, relayed.identifier))
      } == .historyTokenExpired)
    try write(relayed, 51...60)
    try await relayed.relay()
    try write(relayed, 61...70)
    try await relayed.relay()
    server.expire(keeping: 1)
    #expect(await code { try await relayed.follow() } == .historyTokenExpired)
  }

  @Test("rows are asked for where there are none: that is said")
  func noRows() async throws {
    let relayed = try makePair()
    try write(relayed, 1...2)
    try await relayed.relay()
    try await relayed.follow()
    #expect(await code { try await relayed.follow(resynchronizes: true) } == .usage)
  }

  @Test("rows of which the carrier has lost some are not compared with, and that is said")
  func trimmedRows() async throws {
    let relayed = try makePair()
    try write(relayed, 1...200)
    try await relayed.relay()
    try await relayed.follow()
    var options = HistoryRelay.Options()
    options.beginsAnew = true
    let relay = try relayed.makeRelay(options)
    let before = server.count
    try await relayed.drive(relay)
    let rows = server.count - before
    try #require(rows > 2)
    for number in 201...203 {
      try write(relayed, number...number)
      try await relayed.relay()
    }
    // The first of them is gone, then all.
    server.expire(keeping: rows + 2)
    #expect(await code { try await relayed.follow(resynchronizes: true) } == .historyTokenExpired)
    server.expire(keeping: 3)
    #expect(await code { try await relayed.follow(resynchronizes: true) } == .usage)
    #expect(try relayed.rows(1).count == 200)
  }

  @Test("rows that are still being stored and whose beginning is gone are not waited for")
  func trimmedUnfinishedRows() async throws {
    let relayed = try makePair()
    try write(relayed, 1...200)
    try await relayed.relay()
    try await relayed.follow()
    var options = HistoryRelay.Options()
    options.beginsAnew = true
    let relay = try relayed.makeRelay(options)
    // Two messages in one go, since each go begins the rows again.
    var steps = 1
    var stored = 0
    while stored < 2 {
      let before = relay.messageCount
      try await relayed.drive(relay, steps: steps)
      stored = relay.messageCount - before
      steps += 1
    }
    server.expire(keeping: 1)
    #expect(await code { try await relayed.follow(resynchronizes: true) } == .historyTokenExpired)
  }

  @Test("who stands after rows that are gone needs no comparison with them")
  func afterTrimmedRows() async throws {
    let relayed = try makePair()
    try write(relayed, 1...200)
    try trim(relayed)
    try await relayed.relay()
    for number in 201...204 {
      try write(relayed, number...number)
      try await relayed.relay()
      if number == 203 { try await relayed.follow() }
    }
    server.expire(keeping: 3)
    try await relayed.follow(resynchronizes: true)
    #expect(try relayed.rows(1) == relayed.rows(0))
  }

  @Test("what the carrier had does not count once it has nothing any more")
  func purged() async throws {
    let relayed = try makePair()
    try write(relayed, 1...5)
    let relay = try relayed.makeRelay()
    try await relayed.drive(relay)
    server.expire(keeping: 0)
    let carrier = MemoryCarrier(server, relayed.identifier)
    relay.lost(HistoryError(.temporary, "it was purged"))
    relay.connected(to: carrier)
    try await relay.anchor(carrier, now: .seconds(599))
    #expect(relay.takeConfirmed(now: .seconds(601)) == nil)
  }

  @Test("long stretches without anything to show move the position, too")
  func silence() async throws {
    let relayed = try makePair()
    try write(relayed, 1...1)
    try await relayed.relay()
    // Tags of transactions that changed nothing.
    let tag = "INSERT INTO history_author(name) VALUES ('a'); DELETE FROM history_author;"
    try relayed.write(String(repeating: tag, count: 6000), author: nil)
    let head = try relayed.pair.stores[0].opened().state().head
    let relay = try relayed.makeRelay()
    try await relayed.drive(relay)
    #expect(relay.messageCount == 1)
    let last = try await MemoryCarrier(server, relayed.identifier).lastStored()
    #expect(last?.message.to.position?.token == head)
    try await relayed.follow()
    #expect(try relayed.rows(1) == relayed.rows(0))
    let held = try HistoryApplier.position(
      of: relayed.identifier, in: relayed.pair.stores[1].path)
    #expect(held == head)
  }
}
