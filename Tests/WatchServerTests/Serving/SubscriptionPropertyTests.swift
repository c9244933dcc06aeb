import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Testing

@testable import WatchServer

/// Both ways to a reader are the same: lines handed out as they come, and lines read later.
@Suite("Subscription property", .timeLimit(.minutes(2)))
struct SubscriptionPropertyTests {
  private static let subscriptions = [
    "", #","table":["tasks"]"#, #","op":["delete","update"]"#, #","author":["a",null]"#,
    #","not-author":["b"],"table":["NOTES"]"#, #","group":"transaction""#,
    #","group":"transaction","author":["b"]"#,
  ]

  @Test("random transactions come alike by both ways", arguments: 0..<4 as Range<UInt64>)
  func alike(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let stage = try await ServingStage()
    let live = try await stage.client()
    var begin = ""
    var handed = Self.subscriptions.map { _ in [[UInt8]]() }
    for (number, fields) in Self.subscriptions.enumerated() {
      await live.send(#"{"operation":"subscribe","subscription":"\#(number)"\#(fields)}"#)
      begin = try await live.next("hello", of: "\(number)")["token"]?.string ?? ""
    }
    for _ in 0..<60 {
      var sql = ""
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let table = Bool.random(using: &random) ? "tasks" : "notes"
        let id = Int.random(in: 1...9, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: sql += "INSERT OR IGNORE INTO \(table) VALUES (\(id), 'x\(id)');"
        case 1:
          let column = table == "tasks" ? "title" : "body"
          sql += "UPDATE \(table) SET \(column) = \(column) || 'y' WHERE id <= \(id);"
        default: sql += "DELETE FROM \(table) WHERE id = \(id);"
        }
      }
      try await stage.write(sql, author: ["a", "b", "c"].randomElement(using: &random) ?? "a")
    }
    try await stage.write("INSERT INTO tasks(id) VALUES (100)", author: "a")
    let last = try await stage.write("INSERT INTO notes(id) VALUES (100)", author: "b")
    for (number, fields) in Self.subscriptions.enumerated() {
      let late = try await stage.client()
      await late.send(
        #"{"operation":"subscribe","subscription":"\#(number)","since":"\#(begin)","#
          + #""until":"\#(last)"\#(fields)}"#)
      _ = try await late.next("hello")
      var read: [[UInt8]] = []
      while let line = try await late.nextLine(), !isKind("bye", line) {
        if !isKind("bookmark", line) { read.append(line) }
      }
      let again = try await stage.client()
      await again.send(
        #"{"operation":"subscribe","subscription":"\#(number)","since":"\#(begin)","#
          + #""no-follow":true\#(fields)}"#)
      _ = try await again.next("hello")
      for line in read { #expect(try await again.nextLine() == line) }
      handed[number] = read
    }
    var remaining = handed
    while remaining.contains(where: { !$0.isEmpty }) {
      let line = try #require(try await live.nextLine())
      if isKind("bookmark", line) || isKind("hello", line) { continue }
      let name = try JSONValue(parsing: line)["subscription"]?.string ?? ""
      let number = try #require(Int(name))
      #expect(remaining[number].first == line)
      if !remaining[number].isEmpty { remaining[number].removeFirst() }
    }
    await stage.stop()
  }

  private func isKind(_ kind: String, _ line: [UInt8]) -> Bool {
    line.starts(with: #"{"kind":"\#(kind)""#.utf8)
  }
}
