import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import WatchServer

/// docs/protocol.md is what others write their clients by.
@Suite("Protocol page", .timeLimit(.minutes(1)))
struct ProtocolPageTests {
  @Test("each example of the page goes as it stands there")
  func examples() async throws {
    let page = try ProtocolPage()
    let stage = try await ServingStage(
      "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INTEGER DEFAULT 0)")
    let head = try await stage.write(
      "INSERT INTO tasks(id, title) VALUES (7, 'write')", author: "widget")
    _ = try Consumers(TrackedStore(path: stage.file.path, access: .readWrite))
      .create("mailer", at: .oldest)
    try await stage.server.declare(
      ServerConfiguration(
        parsing: Array(
          #"{"reloads":[{"timeline":"TasksWidget","tables":["tasks"],"debounce":"1ms"}]}"#.utf8),
        path: "serve.json", given: [stage.file.path]))
    let client = try await stage.client()
    for step in page.steps {
      switch step {
      case .request(let line):
        await client.send(line.split(separator: "hw1.…").joined(separator: "\(head)"))
      case .answer(let pattern):
        if pattern.kind == "difference" || pattern.reason == "changed" {
          try await stage.write("INSERT INTO tasks(title) VALUES ('read')")
        }
        let line = try await next(client, like: pattern)
        #expect(pattern.matches(line), "\(pattern)\nis not how this looks:\n\(line)")
      }
    }
    await stage.stop()
  }

  /// The next line that may be meant: what else there is of other subscriptions, and of positions
  /// that come when they come, is passed over.
  private func next(
    _ client: LineClient, like pattern: AnswerPattern
  ) async throws -> JSONValue {
    while let line = try await client.next() {
      let isOther = line["subscription"]?.string != pattern.subscription
      let isReset = line["reason"] == "reset" && pattern.reason != "reset"
      if isOther || isReset || line["kind"] == "bookmark" { continue }
      return line
    }
    return try #require(nil, "the connection ended before \(pattern)")
  }

  @Test("the page has an example of each operation, and no other")
  func operations() throws {
    var shown: Set<String> = []
    for case .request(let line) in try ProtocolPage().steps {
      let text = line.split(separator: "hw1.…").joined(separator: "hw1.x")
      if let name = try JSONValue(parsing: Array(text.utf8))["operation"]?.string {
        shown.insert(name)
      }
    }
    #expect(shown.subtracting(["subscrib"]) == Set(WatchRequest.operations))
  }

  @Test(
    "an answer with another member, another order or one too few is noticed",
    arguments: [
      (#"{"kind":"a","x":1}"#, #"{"kind":"a","x":2}"#, true),
      (#"{"kind":"a","x":1}"#, #"{"kind":"b","x":1}"#, false),
      (#"{"kind":"a","x":1}"#, #"{"x":1,"kind":"a"}"#, false),
      (#"{"kind":"a","x":1}"#, #"{"kind":"a"}"#, false),
      (#"{"kind":"a","x":1}"#, #"{"kind":"a","x":1,"y":2}"#, false),
      (#"{"kind":"a","x":1}"#, #"{"kind":"a","x":"1"}"#, false),
      (#"{"kind":"a",…,"x":1}"#, #"{"kind":"a","y":2,"z":3,"x":1}"#, true),
      (#"{"kind":"a",…,"x":1}"#, #"{"kind":"a","x":1}"#, true),
      (#"{"kind":"a",…,"x":1}"#, #"{"kind":"a","x":1,"y":2}"#, false),
      (#"{"kind":"a",…}"#, #"{"kind":"a"}"#, true),
      (#"{"kind":"a","x":{"y":1,…}}"#, #"{"kind":"a","x":{"y":1,"z":2}}"#, true),
      (#"{"kind":"a","x":{"y":1}}"#, #"{"kind":"a","x":{"z":1}}"#, false),
    ])
  func patterns(pattern: String, line: String, isLike: Bool) throws {
    let line = try JSONValue(parsing: Array(line.utf8))
    #expect(try AnswerPattern(pattern).matches(line) == isLike)
  }
}
