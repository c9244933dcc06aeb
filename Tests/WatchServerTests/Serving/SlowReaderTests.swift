import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import Testing

@testable import WatchServer

/// What becomes of readers who do not keep up, and of the others.
@Suite("Slow readers", .timeLimit(.minutes(1)))
struct SlowReaderTests {
  @Test("one who does not read holds up nobody, and gets everything once he does")
  func nobodyElseNotices() async throws {
    let stage = try await ServingStage()
    let slow = try await stage.client()
    await slow.send(#"{"operation":"subscribe","subscription":"a"}"#)
    _ = try await slow.next("hello")
    let quick = try await stage.client()
    await quick.send(#"{"operation":"subscribe","subscription":"a"}"#)
    _ = try await quick.next("hello")
    // Much more than the server and the kernel hold for one reader.
    let count = 60
    for id in 1...count {
      try await stage.write(
        "INSERT INTO tasks VALUES (\(id), hex(zeroblob(20000)))")
      #expect(try await quick.next("change")["key"]?["id"]?.integer == Int64(id))
    }
    let connections = await stage.server.gauges()
    #expect(connections.queuedBytes <= 256 << 10)
    for id in 1...count {
      #expect(try await slow.next("change")["key"]?["id"]?.integer == Int64(id))
    }
    try await stage.write("INSERT INTO tasks(id) VALUES (1000)")
    #expect(try await slow.next("change")["key"]?["id"]?.integer == 1000)
    await stage.stop()
  }

  @Test("a transaction far larger than what is kept for a reader comes whole, by both ways")
  func largeTransaction() async throws {
    let stage = try await ServingStage()
    let live = try await stage.client()
    await live.send(#"{"operation":"subscribe","subscription":"a"}"#)
    let hello = try await live.next("hello")
    let count: Int64 = 2000
    try await stage.write(
      "INSERT INTO tasks WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
        + " SELECT i, hex(zeroblob(1000)) FROM n")
    let late = try await stage.client()
    await late.send(
      #"{"operation":"subscribe","subscription":"a","since":"\#(hello["token"]?.string ?? "")"}"#)
    for client in [live, late] {
      for id in 1...count {
        #expect(try await client.next("change")["key"]?["id"]?.integer == id)
      }
      #expect(try await client.next("commit")["changes"]?.integer == count)
    }
    await stage.stop()
  }

  @Test("a query's reader who was away gets one difference to the newest rows")
  func slowResults() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    await client.send(
      #"{"operation":"results","subscription":"r","query":"SELECT id, title FROM tasks","key":["id"]}"#
    )
    var ids: Set<Int64> = []
    _ = try await client.next("results")
    for id in 1...40 {
      try await stage.write("INSERT INTO tasks VALUES (\(id), hex(zeroblob(20000)))")
    }
    while ids.count < 40 {
      let difference = try await client.next("difference")
      for inserted in difference["inserted"]?.array ?? [] {
        let id = try #require(inserted["row"]?["id"]?.integer)
        let isNew = ids.insert(id).inserted
        #expect(isNew)
      }
    }
    await stage.stop()
  }

  @Test("a line larger than all that is kept comes behind a smaller one", arguments: [false, true])
  func largeLine(isGrouped: Bool) async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    let group = isGrouped ? "transaction" : "row"
    await client.send(#"{"operation":"subscribe","subscription":"a","group":"\#(group)"}"#)
    _ = try await client.next("hello")
    for (id, size) in [(1, 60_000), (2, 60_000), (3, 1_000_000), (4, 10), (5, 1_000_000)] {
      try await stage.write("INSERT INTO tasks VALUES (\(id), hex(zeroblob(\(size))))")
    }
    var last: Int64 = 0
    while last < 5 {
      let line = try #require(try await client.next())
      let change = line["changes"]?[0] ?? line
      guard let id = change["key"]?["id"]?.integer else { continue }
      #expect(id == last + 1)
      last = id
    }
    await stage.stop()
  }

  /// A reader who has subscribed and reads no more, for whom lines wait in the server.
  private func standingStill(at stage: ServingStage) async throws -> LineClient {
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a"}"#)
    _ = try await client.next("hello")
    for id in 1...60 {
      try await stage.write("INSERT INTO tasks VALUES (\(id), hex(zeroblob(20000)))")
    }
    // Once something waits in the server the kernel takes no more.
    while await stage.server.gauges().queuedBytes == 0 { await Task.yield() }
    return client
  }

  @Test("one who does not read is let go, and finds the reason behind what he had")
  func told() async throws {
    let stage = try await ServingStage()
    let client = try await standingStill(at: stage)
    // A minute passes, as far as the server is concerned.
    let now = await stage.server.now
    await stage.server.lookAfterConnections(now: now + .seconds(1))
    await stage.server.lookAfterConnections(now: now + .seconds(62))
    while await stage.server.gauges().subscriptions > 0 { await Task.yield() }
    var ids: [Int64] = []
    var last: JSONValue?
    while let line = try await client.next() {
      last = line
      if line["kind"] == "change" { ids.append(line["key"]?["id"]?.integer ?? 0) }
    }
    // Whole lines from the first on, and then the farewell.
    #expect(ids == Array(1...Int64(ids.count)))
    #expect(ids.count < 60)
    #expect(last?["kind"] == "bye")
    #expect(last?["reason"] == "slow")
    await stage.stop()
  }

  @Test("one who takes not even the farewell is closed a minute later")
  func notEvenTold() async throws {
    let stage = try await ServingStage()
    let client = try await standingStill(at: stage)
    let now = await stage.server.now
    for seconds in [1, 62, 100] {
      await stage.server.lookAfterConnections(now: now + .seconds(seconds))
    }
    #expect(await stage.server.gauges().connections == 1)
    await stage.server.lookAfterConnections(now: now + .seconds(123))
    while await stage.server.gauges().connections > 0 { await Task.yield() }
    withExtendedLifetime(client) {}
    await stage.stop()
  }

  @Test("one who has taken nothing for a minute although something waits has stalled")
  func stall() {
    var detector = StallDetector()
    let looks: [(sent: UInt64, isWaiting: Bool, now: Int)] = [
      (0, false, 0), (0, false, 600), (0, true, 601), (0, true, 660),
      // A single byte shows that he is there.
      (1, true, 661), (1, true, 720), (1, true, 721),
    ]
    let found = looks.map {
      detector.hasStalled(sent: $0.sent, isWaiting: $0.isWaiting, now: .seconds($0.now))
    }
    #expect(found == [false, false, false, false, false, false, true])
  }
}
