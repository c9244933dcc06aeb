import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import WatchServer

/// How subscriptions end, whatever they were doing.
@Suite("Ending", .timeLimit(.minutes(1)))
struct EndingTests {
  private static let rows = 4000

  /// A table of some megabytes, more than is kept for a reader.
  private func stage(others: [String] = []) async throws -> ServingStage {
    let stage = try await ServingStage(others: others)
    try await stage.write(
      "INSERT INTO tasks WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))"
        + " SELECT i, hex(zeroblob(500)) FROM n")
    return stage
  }

  @Test("a snapshot that a stop cuts off does not look whole, and leaves no position")
  func snapshotCutOff() async throws {
    let stage = try await stage()
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a","snapshot":"initial"}"#)
    _ = try await client.next("snapshot-begin", of: "a")
    let stopping = Task { await stage.server.stop(within: .seconds(50)) }
    // The goodbyes are under way once nobody is let in any more. Nothing is read until then, and rows
    // that had no room are for nobody.
    while (try? await stage.client()) != nil {}
    var count = 0
    var bye: JSONValue?
    while let line = try await client.next() {
      switch line["kind"]?.string {
      case "row": count += 1
      case "bye" where line["subscription"] != nil: bye = line
      default: break
      }
    }
    #expect((1..<Self.rows).contains(count))
    #expect(bye?["reason"]?.string == "signal")
    #expect(bye?["token"] == nil)
    await stopping.value
    stage.executor.letGo()
  }

  @Test("no line of a subscription comes after the answer that it has ended")
  func unsubscribed() async throws {
    let stage = try await stage()
    let client = try await stage.client()
    for fields in [#","snapshot":"initial""#, #","since":"oldest""#] {
      await client.send(#"{"operation":"subscribe","subscription":"a"\#(fields)}"#)
      _ = try await client.next("hello", of: "a")
      await client.send(#"{"operation":"unsubscribe","subscription":"a"}"#)
      await client.send(#"{"operation":"ping"}"#)
      _ = try await client.next("unsubscribed")
      #expect(try await client.next()?["kind"]?.string == "pong")
    }
    await stage.stop()
  }

  @Test("a reader is told goodbye behind lines that are larger than what is kept for him")
  func goodbyeBehindMuch() async throws {
    let stage = try await stage()
    let client = try await stage.client()
    await client.send(
      #"{"operation":"results","subscription":"r","query":"SELECT * FROM tasks","no-follow":true}"#)
    #expect(try await client.next("results", of: "r")["rows"]?.array?.count == Self.rows)
    #expect(try await client.next("bye", of: "r")["reason"]?.string == "end")
    await client.send(
      #"{"operation":"subscribe","subscription":"a","since":"oldest","group":"transaction","limit":1}"#
    )
    #expect(try await client.next("bye", of: "a")["reason"]?.string == "limit")
    await stage.stop()
  }

  @Test("a database that was none when it was declared is served once it is one")
  func notYetOne() async throws {
    let stage = try await ServingStage()
    let directory = try TemporaryDirectory()
    let path = directory.path + "/junk.db"
    try DurableFile(path: path).replace(with: [UInt8](repeating: 7, count: 4096))
    let both = ServerConfiguration(given: [stage.file.path, path])
    // What is refused is refused whole: who is served goes on, also where the bad one would replace it.
    await #expect(throws: HistoryError.self) {
      try await stage.server.declare(ServerConfiguration(given: [path]))
    }
    let kept = try await stage.client().ask(#"{"operation":"status"}"#, "status")
    #expect(kept["database"]?.string == stage.file.path)
    await #expect(throws: HistoryError.self) { try await stage.server.declare(both) }
    let good = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try good.track()
    try good.connection().execute("VACUUM INTO '\(path)2'")
    try DurableFile(path: path).replace(
      with: DurableFile(path: path + "2").read(limit: 1 << 20) ?? [])
    try await stage.server.declare(both)
    let client = try await stage.client()
    let status = try await client.ask(#"{"operation":"status","database":"\#(path)"}"#, "status")
    #expect(status["tables"]?.array?.count == 1)
    await stage.stop()
  }

  @Test("a reader goes on in a file that was moved over the store, also if he sees it first")
  func movedFile() async throws {
    let stage = try await ServingStage(journal: .delete)
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let copy = stage.file.path + "-copy"
    for round in 2...6 {
      try stage.file.connection().execute("VACUUM INTO '\(copy)'")
      try #require(rename(copy, stage.file.path) == 0)
      let client = try await stage.client()
      await client.send(#"{"operation":"subscribe","subscription":"a","since":"oldest"}"#)
      for id in 1..<round {
        #expect(try await client.next("change", of: "a")["key"]?["id"]?.integer == Int64(id))
      }
      try await stage.write("INSERT INTO tasks(id) VALUES (\(round))")
      #expect(try await client.next("change", of: "a")["key"]?["id"]?.integer == Int64(round))
      await client.close()
    }
    await stage.stop()
  }
}
