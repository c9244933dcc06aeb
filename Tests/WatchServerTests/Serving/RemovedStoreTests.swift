import HistoryModel
import HistoryTestSupport
import Testing

@testable import WatchServer

@Suite("A database that is served no more")
struct RemovedStoreTests {
  @Test(
    "is said to be so to whoever subscribed to it, and nobody else", .timeLimit(.minutes(1)))
  func subscribers() async throws {
    let other = try TemporaryStore(sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY)")
    try other.track()
    let stage = try await ServingStage(others: [other.path])
    let client = try await stage.client()
    await client.send(
      #"{"operation":"subscribe","subscription":"a","database":"\#(other.path)"}"#)
    _ = try await client.next("hello", of: "a")
    await client.send(
      #"{"operation":"results","subscription":"b","database":"\#(other.path)","#
        + #""query":"SELECT id FROM tasks"}"#)
    _ = try await client.next("results", of: "b")
    await client.send(
      #"{"operation":"subscribe","subscription":"c","database":"\#(stage.file.path)"}"#)
    _ = try await client.next("hello", of: "c")
    try await stage.server.declare(ServerConfiguration(given: [stage.file.path]))
    var left: Set = ["a", "b"]
    while !left.isEmpty {
      let bye = try await client.next("bye")
      #expect(bye["reason"]?.string == "error")
      left.remove(bye["subscription"]?.string ?? "")
    }
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    _ = try await client.next("commit", of: "c")
    await stage.stop()
  }
}
