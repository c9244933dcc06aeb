import Testing

@testable import HistoryCommands

@Suite("Forms of options")
struct OptionFormTests {
  @Test(
    "options before or after the database, with a sign or without, mean the same",
    arguments: [
      ["stream", "app.db", "--since", "oldest", "--no-follow"],
      ["stream", "--since=oldest", "--no-follow", "app.db"],
      ["stream", "--since", "oldest", "app.db", "--no-follow"],
      ["--no-follow", "app.db", "--since=oldest"],
      ["--since", "oldest", "--no-follow", "--", "app.db"],
    ])
  func positions(words: [String]) throws {
    guard case .command(let parsed) = try CommandParser().parse(words) else {
      Issue.record("not a command: \(words)")
      return
    }
    #expect(parsed.command.name == "stream")
    #expect(try parsed.database == "app.db")
    #expect(parsed.value("since") == "oldest")
    #expect(parsed.flag("no-follow"))
    #expect(!parsed.flag("until"))
  }

  @Test("after -- a database may begin with dashes")
  func doubleDash() throws {
    let parsed = try CommandLineCase.arguments("stream", "--no-follow", "--", "--odd.db")
    #expect(try parsed?.database == "--odd.db")
    #expect(try CommandLineCase.arguments("stream", "--", "--help")?.database == "--help")
  }

  @Test("a repeatable option keeps its values in order, the empty author among them")
  func repeatable() throws {
    let parsed = try #require(
      try CommandLineCase.arguments("app.db", "--author", "", "--author=app", "--not-author="))
    #expect(parsed.values("author") == ["", "app"])
    #expect(parsed.values("not-author") == [""])
    #expect(parsed.flag("not-author"))
    #expect(parsed.values("table").isEmpty)
  }

  @Test("a value with a sign in it, or that begins with a dash, is given after a sign")
  func values() throws {
    let parsed = try CommandLineCase.arguments("write", "a.db", "--context=--why=-5", "--author=-")
    #expect(parsed?.value("context") == "--why=-5")
    #expect(parsed?.value("author") == "-")
    #expect(try CommandLineCase.arguments("write", "a.db", "--file", "-")?.value("file") == "-")
  }

  @Test("SQL that begins with a comment is an operand")
  func comment() throws {
    let parsed = try CommandLineCase.arguments("write", "a.db", "-- why\nDELETE FROM t")
    #expect(parsed?.operand("SQL") == "-- why\nDELETE FROM t")
    #expect(parsed?.operands == ["a.db", "-- why\nDELETE FROM t"])
  }

  @Test("values come in the type that the option's form says")
  func types() throws {
    let parsed = try #require(
      try CommandLineCase.arguments(
        "trim", "a.db", "--older-than=7d", "--max-size", "64MB", "--keep-last", "0"))
    #expect(try parsed.duration("older-than") == .seconds(7 * 86_400))
    #expect(try parsed.size("max-size") == 64 << 20)
    #expect(try parsed.count("keep-last") == 0)
    #expect(try CommandLineCase.arguments("app.db")?.duration("timeout") == nil)
  }

  @Test("a choice comes as the case of an enumeration, or as what holds without it")
  func choices() throws {
    enum Grouping: String, CaseIterable { case row, transaction }
    let given = try CommandLineCase.arguments("app.db", "--group", "transaction")
    #expect(try given?.choice("group", default: Grouping.row) == .transaction)
    #expect(try CommandLineCase.arguments("app.db")?.choice("group", default: Grouping.row) == .row)
  }
}
