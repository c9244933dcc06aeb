import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import Testing

@testable import WatchServer

/// Timelines that a configuration declares.
@Suite("Reload serving", .timeLimit(.minutes(1)))
struct ReloadServingTests {
  private func configuration(
    _ stage: ServingStage, _ reloads: String
  ) throws -> ServerConfiguration {
    try ServerConfiguration(
      parsing: Array(#"{"reloads":[\#(reloads)]}"#.utf8), path: "serve.json",
      given: [stage.file.path])
  }

  private let tasks =
    #"{"timeline":"Tasks","tables":["tasks"],"debounce":"1ms","subscribers":true}"#

  @Test("subscribers are told when a burst is over, and who comes back only if he missed some")
  func subscribers() async throws {
    let stage = try await ServingStage()
    try await stage.server.declare(configuration(stage, tasks))
    let client = try await stage.client()
    // Nobody knows what a first subscription has missed.
    await client.send(#"{"operation":"subscribe","subscription":"w","timeline":["Tasks"]}"#)
    _ = try await client.next("subscribed")
    try await stage.write("INSERT INTO notes(id) VALUES (1)")
    let token = try await stage.write("INSERT INTO tasks(id) VALUES (1), (2)", author: "widget")
    var reload = try await client.next("reload", of: "w")
    if reload["reason"]?.string == "reset" { reload = try await client.next("reload", of: "w") }
    #expect(reload["timeline"]?.string == "Tasks")
    #expect(reload["reason"]?.string == "changed")
    #expect(reload["changes"]?.integer == 2)
    #expect(reload["authors"] == ["widget"])
    #expect(reload["until"]?.string == token.description)
    let other = try await stage.client()
    await other.send(
      #"{"operation":"subscribe","subscription":"w","timeline":["Tasks"],"since":"\#(token)"}"#)
    _ = try await other.next("subscribed")
    #expect(try await other.ask(#"{"operation":"ping"}"#, "pong")["kind"] != nil)
    let late = try await stage.client()
    await late.send(#"{"operation":"subscribe","subscription":"w","timeline":["Tasks"]}"#)
    #expect(try await late.next("reload", of: "w")["reason"]?.string == "reset")
    try await stage.write("DELETE FROM tasks")
    #expect(try await other.next("reload", of: "w")["changes"]?.integer == 2)
    await stage.stop()
  }

  @Test("who subscribes before the database is there is told that it may have missed some")
  func early() async throws {
    let stage = try await ServingStage(isTracked: false)
    try await stage.server.declare(configuration(stage, tasks))
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"w","timeline":["Tasks"]}"#)
    _ = try await client.next("subscribed")
    try stage.file.track()
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let reload = try await client.next("reload", of: "w")
    #expect(reload["reason"]?.string == "reset")
    #expect(reload["until"]?.string != nil)
    await stage.stop()
  }

  @Test("a command runs before subscribers are told, and what it failed at is tried again")
  func command() async throws {
    let stage = try await ServingStage()
    let mark = stage.file.path + "-mark"
    let attempt = stage.file.path + "-attempt"
    let command = "test -e \(attempt) && exec touch \(mark); touch \(attempt); exit 1"
    try await stage.server.declare(
      configuration(
        stage,
        #"{"timeline":"T","debounce":"1ms","subscribers":true,"command":["sh","-c","\#(command)"]}"#
      ))
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"w","timeline":["T"]}"#)
    _ = try await client.next("subscribed")
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    // Before it there may be the one that greets.
    var reason: String?
    repeat {
      reason = try await client.next("reload", of: "w")["reason"]?.string
    } while reason == "reset"
    #expect(reason == "retry")
    #expect(try DurableFile(path: mark).read(limit: 1) != nil)
    await stage.stop()
  }

  @Test("a new configuration is taken without dropping anybody, a bad one not at all")
  func declaredAgain() async throws {
    let stage = try await ServingStage()
    try await stage.server.declare(configuration(stage, tasks))
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a"}"#)
    _ = try await client.next("hello", of: "a")
    let unknown = try await client.ask(
      #"{"operation":"subscribe","subscription":"w","timeline":["Notes"]}"#, "error")
    #expect(unknown["code"]?.string == "usage")
    await #expect(throws: HistoryError.self) {
      try await stage.server.declare(
        configuration(stage, #"{"timeline":"T","command":["/no/such/program"]}"#))
    }
    try await stage.server.declare(
      configuration(stage, tasks + #",{"timeline":"Notes","debounce":"1ms","subscribers":true}"#))
    await client.send(#"{"operation":"subscribe","subscription":"w","timeline":["Notes"]}"#)
    _ = try await client.next("subscribed")
    try await stage.write("INSERT INTO notes(id) VALUES (1)")
    #expect(try await client.next("commit", of: "a")["changes"]?.integer == 1)
    await stage.stop()
  }
}
