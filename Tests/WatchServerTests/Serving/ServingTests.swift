import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import WatchServer

/// What clients get from a server on a socket.
@Suite("Serving", .timeLimit(.minutes(1)))
struct ServingTests {
  @Test("hello says who answers, and where the history stands")
  func hello() async throws {
    let stage = try await ServingStage()
    let token = try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let hello = try await stage.client().ask(#"{"operation":"hello","request":"x"}"#, "hello")
    #expect(hello["protocol"]?.integer == 1)
    #expect(hello["request"]?.string == "x")
    #expect(hello["databases"]?.array?.count == 1)
    #expect(hello["store"]?.string == token.storeIdentifier.description)
    #expect(hello["head"]?.string == token.description)
    await stage.stop()
  }

  @Test("several subscriptions of one connection each get what they asked for, under their names")
  func severalSubscriptions() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    for (name, rest) in [
      ("t", #""table":["tasks"]"#), ("n", #""table":["Notes"],"group":"transaction""#),
    ] {
      await client.send(#"{"operation":"subscribe","subscription":"\#(name)",\#(rest)}"#)
      _ = try await client.next("hello", of: name)
    }
    try await stage.write("INSERT INTO tasks(id) VALUES (1); INSERT INTO notes(id) VALUES (2)")
    var kinds: [String: [String]] = [:]
    while kinds["t"]?.count ?? 0 < 2 || kinds["n"]?.count ?? 0 < 1 {
      let line = try #require(try await client.next())
      kinds[line["subscription"]?.string ?? "", default: []].append(line["kind"]?.string ?? "")
    }
    #expect(kinds == ["t": ["change", "commit"], "n": ["transaction"]])
    await stage.stop()
  }

  @Test("a limit, an end and no following end a subscription, whose name is free again")
  func ends() async throws {
    let stage = try await ServingStage()
    var tokens: [HistoryToken] = []
    for id in 1...5 { tokens.append(try await stage.write("INSERT INTO tasks(id) VALUES (\(id))")) }
    let client = try await stage.client()
    for (options, reason, last) in [
      (#""since":"oldest","limit":2"#, "limit", 1),
      (#""since":"oldest","no-follow":true"#, "end", 4),
      (#""since":"\#(tokens[0])","until":"\#(tokens[2])""#, "end", 2),
      (#""since":"\#(tokens[4])","limit":0"#, "limit", 4),
    ] {
      await client.send(#"{"operation":"subscribe","subscription":"a",\#(options)}"#)
      let bye = try await client.next("bye", of: "a")
      #expect(bye["reason"]?.string == reason)
      #expect(bye["token"]?.string == tokens[last].description)
    }
    // One that is handed lines ends in their middle too.
    await client.send(#"{"operation":"subscribe","subscription":"a","limit":1}"#)
    _ = try await client.next("hello", of: "a")
    for id in 6...8 { tokens.append(try await stage.write("INSERT INTO tasks(id) VALUES (\(id))")) }
    #expect(try await client.next("bye", of: "a")["token"]?.string == tokens[5].description)
    await stage.stop()
  }

  @Test("what is passed over is said by a bookmark, on which one can go on")
  func bookmark() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a","table":["notes"]}"#)
    _ = try await client.next("hello")
    let token = try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    #expect(try await client.next("bookmark", of: "a")["token"]?.string == token.description)
    await stage.stop()
  }

  @Test("a snapshot goes over into what follows it without a gap or a repeat")
  func snapshot() async throws {
    let stage = try await ServingStage()
    for id in 1...3 { try await stage.write("INSERT INTO tasks(id) VALUES (\(id))") }
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a","snapshot":"initial"}"#)
    let hello = try await client.next("hello", of: "a")
    #expect(hello["resume"]?.string == "snapshot")
    var rows: [Int64] = []
    while let line = try await client.next(), line["kind"]?.string != "snapshot-end" {
      if let id = line["key"]?["id"]?.integer { rows.append(id) }
    }
    #expect(rows == [1, 2, 3])
    try await stage.write("INSERT INTO tasks(id) VALUES (4)")
    #expect(try await client.next("change", of: "a")["key"]?["id"]?.integer == 4)
    await stage.stop()
  }

  @Test("a query's rows come, and then what changes in them")
  func results() async throws {
    let stage = try await ServingStage()
    try await stage.write("INSERT INTO tasks VALUES (1, 'a')")
    let client = try await stage.client()
    await client.send(
      #"{"operation":"results","subscription":"r","query":"SELECT id, title FROM tasks WHERE id < :n","#
        + #""bind":{"n":9},"key":["id"]}"#)
    let first = try await client.next("results", of: "r")
    #expect(first["rows"]?.array?.count == 1)
    try await stage.write("INSERT INTO tasks VALUES (2, 'b'), (10, 'c')")
    let difference = try await client.next("difference", of: "r")
    #expect(difference["inserted"]?.array?.count == 1)
    let failed = try await client.ask(
      #"{"operation":"results","subscription":"w","query":"DELETE FROM tasks"}"#, "error")
    #expect(failed["code"]?.string == "usage")
    #expect(failed["subscription"]?.string == "w")
    await stage.stop()
  }

  @Test("a query that takes too long is refused, and one that has come to do so is ended")
  func costlyQuery() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    let endless = { (first: String) in
      "WITH RECURSIVE n(i) AS (\(first) UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS c FROM n"
    }
    let refused = try await client.ask(
      #"{"operation":"results","subscription":"a","query":"\#(endless("SELECT 1")), tasks"}"#,
      "error")
    #expect(refused["code"]?.string == "statementFailed")
    // It ends at once as long as the table is empty.
    let later = endless("SELECT 1 FROM tasks")
    await client.send(#"{"operation":"results","subscription":"b","query":"\#(later)"}"#)
    _ = try await client.next("results", of: "b")
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    #expect(try await client.next("error", of: "b")["code"]?.string == "statementFailed")
    #expect(try await client.next("bye", of: "b")["reason"]?.string == "error")
    await stage.stop()
  }

  @Test("wait answers when the server has read a token, and other answers do not wait for it")
  func wait() async throws {
    let stage = try await ServingStage()
    let token = try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    let client = try await stage.client()
    #expect(
      try await client.ask(#"{"operation":"wait","token":"\#(token)","request":1}"#, "seen")[
        "token"]?
        .string == token.description)
    #expect(try await client.ask(#"{"operation":"ping"}"#, "pong")["kind"] != nil)
    await stage.stop()
  }

  @Test("a consumer is gone on from, and moves when the client says so")
  func consumer() async throws {
    let stage = try await ServingStage()
    let store = try TrackedStore(path: stage.file.path, access: .readWrite)
    let first = try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    _ = try Consumers(store).create("mailer", at: .after(first))
    let second = try await stage.write("INSERT INTO tasks(id) VALUES (2)")
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a","consumer":"mailer"}"#)
    #expect(try await client.next("change", of: "a")["key"]?["id"]?.integer == 2)
    #expect(try Consumers(store).position(of: "mailer") == first)
    _ = try await client.ask(
      #"{"operation":"acknowledge","consumer":"mailer","token":"\#(second)"}"#, "acknowledged")
    #expect(try Consumers(store).position(of: "mailer") == second)
    let error = try await client.ask(
      #"{"operation":"acknowledge","consumer":"nobody","token":"\#(second)"}"#, "error")
    #expect(error["code"]?.string == "noSuchConsumer")
    await stage.stop()
  }

  @Test("a failed request changes nothing, and the connection goes on")
  func failures() async throws {
    let stage = try await ServingStage()
    let other = try await ServingStage()
    let foreign = try await other.write("INSERT INTO tasks(id) VALUES (1)")
    let client = try await stage.client()
    for (line, code) in [
      ("nonsense", "usage"),
      (#"{"operation":"subscribe","subscription":"a","since":"hw1.x"}"#, "invalidToken"),
      (#"{"operation":"subscribe","subscription":"a","since":"\#(foreign)"}"#, "foreignToken"),
      (#"{"operation":"subscribe","subscription":"a","consumer":"nobody"}"#, "noSuchConsumer"),
      (#"{"operation":"subscribe","subscription":"a","database":"other.db"}"#, "storeUnavailable"),
      (#"{"operation":"unsubscribe","subscription":"a"}"#, "usage"),
      (#"{"operation":"wait","token":"\#(foreign)"}"#, "foreignToken"),
    ] {
      #expect(try await client.ask(line, "error")["code"]?.string == code, "\(line)")
    }
    await client.send(#"{"operation":"subscribe","subscription":"a"}"#)
    _ = try await client.next("hello", of: "a")
    let taken = try await client.ask(#"{"operation":"subscribe","subscription":"a"}"#, "error")
    #expect(taken["code"]?.string == "usage")
    await stage.stop()
    await other.stop()
  }

  @Test("only the server's user can knock, unless others are let in", arguments: [false, true])
  func mode(areOthers: Bool) async throws {
    let stage = try await ServingStage(allowedUsers: areOthers ? [4_000_000_000] : [])
    var status = stat()
    #expect(stat(stage.socket, &status) == 0)
    #expect(status.st_mode & 0o777 == (areOthers ? 0o666 : 0o600))
    #expect(try await stage.client().ask(#"{"operation":"ping"}"#, "pong")["kind"] != nil)
    await stage.stop()
  }

  @Test("a line that is too long is refused, and nothing of it is kept")
  func tooLong() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    await client.send(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 200_000))
    #expect(try await client.next("error")["code"]?.string == "usage")
    #expect(try await client.next("bye")["reason"]?.string == "error")
    #expect(try await client.next() == nil)
    await stage.stop()
  }

  @Test("a stop says goodbye to each subscription and to the connection")
  func stop() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a"}"#)
    let hello = try await client.next("hello", of: "a")
    await stage.server.stop()
    let bye = try await client.next("bye", of: "a")
    #expect(bye["reason"]?.string == "signal")
    #expect(bye["token"] == hello["token"])
    #expect(try await client.next("bye")["subscription"] == nil)
    #expect(try await client.next() == nil)
    stage.executor.letGo()
  }

  @Test("one who sends no more is still sent what he subscribed to")
  func halfClosed() async throws {
    let stage = try await ServingStage()
    let client = try await stage.client()
    await client.send(#"{"operation":"subscribe","subscription":"a"}"#)
    _ = try await client.next("hello", of: "a")
    await client.finish()
    try await stage.write("INSERT INTO tasks(id) VALUES (1)")
    #expect(try await client.next("commit", of: "a")["changes"]?.integer == 1)
    await stage.stop()
  }
}
