import EventLoop
import HTTPServer
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import WatchServer

/// Which events a browser can go on from: those that have an id.
@Suite("Ids of events", .timeLimit(.minutes(1)))
struct EventIdentifierTests {
  /// Takes everything, and remembers it.
  private final class Recorder: LineSink {
    private let pages = Guarded<[EncodedLines]>([])

    func offer(_ lines: EncodedLines) -> SinkOffer {
      pages.withLock { $0.append(lines) }
      return .taken
    }

    func room() async -> Bool { true }

    /// The events' kinds, and an asterisk behind those with an id.
    var events: [String] {
      let text = pages.withLock { $0.flatMap { EventStreamText.bytes(of: $0) } }
      return String(decoding: text, as: UTF8.self).split(separator: "\n\n").map { event in
        let kind = event.split(separator: "\n").first { $0.hasPrefix("event: ") } ?? ""
        return kind.dropFirst(7) + (event.hasPrefix("id: ") ? "*" : "")
      }
    }
  }

  /// What a request is answered with.
  private func events(
    _ query: String, of stage: ServingStage
  ) async throws -> [String] {
    let query = try EventQuery(
      HTTPRequest(.get, target: Array("/events?no-follow&\(query)".utf8)))
    let hub = try await stage.server.store(nil).observed().hub
    let recorder = Recorder()
    try await withTaskExecutorPreference(stage.executor) {
      let subscription = try EventSubscription(query.request, of: hub, to: recorder)
      try await subscription.open(consumer: query.consumer)
      await subscription.run()
    }
    return recorder.events
  }

  @Test("a hello has one only where the history follows it, and not where rows do, or nothing")
  func hello() async throws {
    let stage = try await ServingStage()
    let old = try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let next = try await stage.write("INSERT INTO tasks(id) VALUES (2)")
    try await stage.write("INSERT INTO tasks(id) VALUES (3)")
    try await stage.write("DELETE FROM tasks WHERE id < 3")
    #expect(try await events("", of: stage) == ["hello*", "bye"])
    #expect(
      try await events("since=\(next)", of: stage)
        == ["hello*", "change", "commit*", "change", "change", "commit*", "bye"])
    #expect(
      try await events("snapshot=initial", of: stage)
        == ["hello", "snapshot-begin", "row", "snapshot-end", "bye"])
    let writable = try TrackedStore(path: stage.file.path, access: .readWrite)
    _ = try HistoryTrimmer(writable).trim(
      keeping: .newest(1), isForced: true)
    #expect(try await events("since=\(old)", of: stage) == ["hello", "expired", "bye"])
    #expect(
      try await events("since=\(old)&on-expired=snapshot", of: stage)
        == ["hello", "expired", "hello", "snapshot-begin", "row", "snapshot-end", "bye"])
    #expect(
      try await events("since=\(old)&on-expired=oldest", of: stage)
        == ["hello", "expired", "hello*", "change", "change", "commit*", "bye"])
    await stage.stop()
  }
}
