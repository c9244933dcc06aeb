import EventLoop
import HistoryModel
import Testing

@testable import TimelineReload

@Suite("Environment of a reload's command")
struct ReloadEnvironmentTests {
  private func environment(
    kind: String = "list", reason: Reload.Reason = .changed, tables: [String] = [],
    authors: [String?] = [], author: String? = nil
  ) -> [String: String] {
    var range = HistorySummary(since: ReloadMarbles.token(0))
    for author in authors {
      range.add(author: author, changes: 3, tables: tables, until: ReloadMarbles.token(5))
    }
    let reload = Reload(kind: kind, reason: reason, range: range, attempt: 1)
    return ReloadCommand.environment(of: reload, in: "dir/db", author: author)
  }

  @Test("it says what the contract says, and no more")
  func whole() {
    #expect(
      environment(tables: ["tasks", "lists"], authors: ["app", "sync"]) == [
        "HISTORYWATCH_DATABASE": "dir/db", "HISTORYWATCH_KIND": "list",
        "HISTORYWATCH_SINCE": "\(ReloadMarbles.token(0))",
        "HISTORYWATCH_UNTIL": "\(ReloadMarbles.token(5))",
        "HISTORYWATCH_TRANSACTIONS": "2", "HISTORYWATCH_CHANGES": "6",
        "HISTORYWATCH_TABLES": "tasks\nlists", "HISTORYWATCH_AUTHORS": "app\nsync",
        "HISTORYWATCH_REASON": "changed",
      ])
  }

  @Test("reasons have the names of the contract")
  func reasons() {
    let names = [Reload.Reason.changed, .retry, .reset, .requested].map {
      environment(reason: $0)["HISTORYWATCH_REASON"]
    }
    #expect(names == ["changed", "retry", "reset", "requested"])
  }

  @Test("without a name there is no kind, and an author only where one was chosen")
  func optional() {
    #expect(environment(kind: "")["HISTORYWATCH_KIND"] == nil)
    #expect(environment()["HISTORYWATCH_AUTHOR"] == nil)
    #expect(environment(author: "robot")["HISTORYWATCH_AUTHOR"] == "robot")
  }

  @Test("an untagged transaction is an empty line among the authors")
  func untagged() {
    #expect(environment(authors: [nil, "app"])["HISTORYWATCH_AUTHORS"] == "\napp")
    #expect(environment(authors: [nil])["HISTORYWATCH_AUTHORS"] == "")
  }

  @Test("a list that is too long is cut between names, and that is said")
  func longLists() {
    let tables = (0..<600).map { "\($0)_" + String(repeating: "t", count: 100) }
    let values = environment(
      tables: tables, authors: [String(repeating: "x", count: 100_000), "app"])
    let kept = values["HISTORYWATCH_TABLES"]?.split(separator: "\n").map(String.init) ?? []
    #expect(kept == Array(tables.prefix(kept.count)))
    #expect(kept.count > 300 && kept.count < 600)
    #expect(values["HISTORYWATCH_TABLES"]?.utf8.count ?? 0 <= ReloadCommand.listLimit)
    #expect(values["HISTORYWATCH_AUTHORS"] == "app")
    #expect(values["HISTORYWATCH_OMITTED"] == "tables\nauthors")
  }

  @Test("as many authors as a summary names may not be all")
  func manyAuthors() {
    let limit = HistorySummary.authorLimit
    let values = environment(authors: (0..<limit).map { "a\($0)" })
    #expect(values["HISTORYWATCH_OMITTED"] == "authors")
    let fewer = environment(authors: (0..<limit - 1).map { "a\($0)" })
    #expect(fewer["HISTORYWATCH_OMITTED"] == nil)
  }

  @Test(
    "a name that a line cannot hold is left out, and that is said", arguments: ["a\nb", "a\0b"])
  func unspeakable(name: String) {
    let values = environment(tables: [name, "tasks"], authors: ["app"])
    #expect(values["HISTORYWATCH_TABLES"] == "tasks")
    #expect(values["HISTORYWATCH_OMITTED"] == "tables")
  }

  @Test("a program can be started however much there is to tell")
  func startable() throws {
    let executor = try LoopExecutor()
    let outcome = try executor.runUntilComplete {
      var range = HistorySummary(since: ReloadMarbles.token(0))
      range.add(
        author: String(repeating: "x", count: 300_000), changes: 1,
        tables: (0..<600).map { "\($0)_" + String(repeating: "t", count: 1000) },
        until: ReloadMarbles.token(1))
      let command = try ReloadCommand(["true"], database: "db", on: executor)
      return try await command.run(
        Reload(kind: "list", reason: .changed, range: range, attempt: 1))
    }
    #expect(outcome == .confirmed)
  }

  @Test("nothing that was meant for a command around us is handed down, but for its author")
  func nested() throws {
    let executor = try LoopExecutor()
    try executor.runUntilComplete {
      let command = try ReloadCommand(["true"], database: "db", on: executor)
      let range = HistorySummary(since: ReloadMarbles.token(0))
      let started = command.command(
        for: Reload(kind: "", reason: .requested, range: range, attempt: 1))
      #expect(started.withheld.isSuperset(of: started.environment.keys))
      #expect(started.withheld.contains("HISTORYWATCH_KIND"))
      #expect(started.withheld.contains("HISTORYWATCH_OMITTED"))
      #expect(!started.withheld.contains("HISTORYWATCH_AUTHOR"))
    }
  }
}
