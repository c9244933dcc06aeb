import EventLoop
import HistoryModel
import Testing

@testable import WatchClient

@Suite("History client", .timeLimit(.minutes(1)))
struct HistoryClientTests {
  private let server: FakeServer
  private let client: HistoryClient

  init() throws {
    server = try FakeServer()
    client = try HistoryClient(socket: server.path, on: nil, pace: PauseLog().pace)
  }

  @Test("requests are what the protocol says, and their answers come back")
  func requests() async throws {
    try await server.listen()
    let token = Script.token(7)
    let task = Task { [client] in
      try await client.ping()
      try await client.acknowledge(consumer: "mailer", token: token, of: "app.db")
      try await client.waitUntil(token, timeout: .microseconds(1500))
      try await client.waitUntil(token)
      return try await client.status()
    }
    #expect(try await server.begin() == ["operation": "ping"])
    try await server.send(#"{"kind":"pong"}"# + "\n")
    #expect(
      try await server.begin() == [
        "operation": "acknowledge", "database": "app.db", "consumer": "mailer",
        "token": .string(token.description),
      ])
    try await server.send(#"{"kind":"acknowledged"}"# + "\n")
    #expect(
      try await server.begin() == [
        "operation": "wait", "token": .string(token.description), "timeout": "2ms",
      ])
    try await server.send(#"{"kind":"seen"}"# + "\n")
    #expect(
      try await server.begin() == ["operation": "wait", "token": .string(token.description)])
    try await server.send(#"{"kind":"seen"}"# + "\n")
    #expect(try await server.begin() == ["operation": "status"])
    try await server.send(#"{"kind":"status","ready":true}"# + "\n")
    #expect(try await task.value == ["kind": "status", "ready": true])
    #expect(try await server.request() == nil)
  }

  @Test("an error that is the answer is thrown")
  func failure() async throws {
    try await server.listen()
    let task = Task { [client] in try await client.waitUntil(Script.token(1), timeout: .zero) }
    _ = try await server.begin()
    try await server.send(#"{"kind":"error","code":"temporary","message":"too late"}"# + "\n")
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.code == .temporary)
    #expect(error?.message == "too late")
    #expect(error?.unavailableReason == nil)
  }

  @Test("why a store cannot be used arrives with the error, also a reason that is not known here")
  func reason() async throws {
    try await server.listen()
    let task = Task { [client] in try await client.status() }
    _ = try await server.begin()
    try await server.send(
      #"{"kind":"error","code":"storeUnavailable","message":"no","reason":"frozen"}"# + "\n")
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.code == .storeUnavailable)
    #expect(error?.unavailableReason == UnavailableReason(rawValue: "frozen"))
  }

  @Test("a request is not tried again: nobody there, and gone in the middle, are errors")
  func gone() async throws {
    let early = Task { [client] in try await client.ping() }
    let absent = await #expect(throws: HistoryError.self) { try await early.value }
    #expect(absent?.code == .temporary)
    #expect(absent?.message == "no server listens at \(server.path)")
    try await server.listen()
    let task = Task { [client] in try await client.ping() }
    _ = try await server.begin()
    await server.drop()
    let lost = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(lost?.message == "the server at \(server.path) went away")
  }

  @Test("a request that is cancelled ends, and its connection is closed")
  func cancelled() async throws {
    try await server.listen()
    let task = Task { [client] in try await client.waitUntil(Script.token(1)) }
    _ = try await server.begin()
    task.cancel()
    await #expect(throws: HistoryError.self) { try await task.value }
    #expect(try await server.request() == nil)
  }

  @Test("a path that can be no socket is not tried again and again")
  func badPath() async throws {
    let client = try HistoryClient(socket: String(repeating: "x", count: 200))
    var iterator = client.transactions(after: .now).makeAsyncIterator()
    do throws(HistoryError) {
      _ = try await iterator.next(isolation: nil)
      Issue.record("There is no such socket.")
    } catch {
      #expect(error.code == .storeUnavailable)
    }
  }

  @Test("each timeline goes on from where it was refreshed")
  func reloads() async throws {
    try await server.listen()
    let sequence = client.reloads(of: ["A", "B"], since: ["B": Script.token(2)])
    let task = Task {
      var notices: [ReloadNotice] = []
      for try await notice in sequence {
        notices.append(notice)
        if notices.count == 3 { break }
      }
      return notices
    }
    let token = Script.token(2).description
    #expect(
      try await server.begin() == [
        "operation": "subscribe", "subscription": "reloads-0", "timeline": ["A"],
      ])
    #expect(
      try await server.request() == [
        "operation": "subscribe", "subscription": "reloads-1", "timeline": ["B"],
        "since": .string(token),
      ])
    let later = Script.token(5).description
    try await server.send(
      #"{"kind":"subscribed","subscription":"reloads-0"}"# + "\n"
        + #"{"kind":"reload","timeline":"A","reason":"reset","subscription":"reloads-0"}"# + "\n"
        + #"{"kind":"reload","timeline":"B","reason":"changed","since":"\#(token)","until":"\#(later)","#
        + #""transactions":3,"changes":5,"tables":["tasks"],"authors":["app",null],"#
        + #""subscription":"reloads-1"}"# + "\n")
    await server.drop()
    #expect(try await server.begin()["since"] == nil)
    #expect(try await server.request()?["since"]?.string == later)
    try await server.send(
      #"{"kind":"reload","timeline":"A","reason":"new reason","subscription":"reloads-0"}"# + "\n")
    let notices = try await task.value
    #expect(notices.map(\.timeline) == ["A", "B", "A"])
    #expect(notices[0].reason == .reset)
    #expect(notices[1].reason == .changed)
    #expect(notices[1].until == Script.token(5))
    #expect(notices[1].transactions == 3)
    #expect(notices[1].changes == 5)
    #expect(notices[1].authors == ["app", nil])
    #expect(notices[2].reason.description == "new reason")
  }

  @Test("a timeline that the server has no longer is told, and named")
  func timelineGone() async throws {
    try await server.listen()
    let sequence = client.reloads(of: ["A", "B"])
    let task = Task { for try await _ in sequence {} }
    _ = try await server.begin()
    _ = try await server.request()
    try await server.send(
      #"{"kind":"bye","reason":"end","subscription":"reloads-1"}"# + "\n")
    let error = await #expect(throws: HistoryError.self) { try await task.value }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("\"B\"") == true)
  }
}
