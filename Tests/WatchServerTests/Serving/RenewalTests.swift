import HistoryModel
import HistoryTestSupport
import Testing

@testable import WatchServer

@Suite("A server renews capture")
struct RenewalTests {
  @Test(
    "as soon as it can, also after somebody has written for longer than it waits",
    .timeLimit(.minutes(1)))
  func afterLongWriter() async throws {
    let drifted = try TemporaryStore(sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY)")
    try drifted.track()
    let writer = try WriterProcess(path: drifted.path)
    _ = try writer.run("ALTER TABLE tasks ADD COLUMN due; BEGIN IMMEDIATE")
    let failures = AsyncStream<String>.makeStream()
    let stage = try await ServingStage(
      others: [drifted.path],
      log: ServerLog { level, sentence in
        if level == .error { failures.continuation.yield(sentence) }
      })
    let client = try await stage.client()
    await client.send(
      #"{"operation":"subscribe","subscription":"a","database":"\#(drifted.path)"}"#)
    _ = try await client.next("hello", of: "a")
    var waiting = failures.stream.makeAsyncIterator()
    #expect(await waiting.next()?.contains("could not be renewed") == true)
    _ = try writer.run("COMMIT")
    // Without a position it is only noticed; with one it is part of the history.
    var line = try await client.next("schema", of: "a")
    while line["token"] == nil { line = try await client.next("schema", of: "a") }
    #expect(line["action"]?.string == "columns-added")
    await stage.stop()
  }
}
