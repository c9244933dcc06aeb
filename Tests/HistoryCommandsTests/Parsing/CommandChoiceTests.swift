import Testing

@testable import HistoryCommands

@Suite("Choosing the command")
struct CommandChoiceTests {
  @Test("without a command a database is streamed", arguments: ["app.db", "./stream", "log.db"])
  func defaultCommand(database: String) throws {
    let parsed = try #require(try CommandLineCase.arguments(database))
    #expect(parsed.command.name == "stream")
    #expect(try parsed.database == database)
  }

  @Test("the first operand that names a command is the command, the next one is a database")
  func commandThenDatabase() throws {
    let parsed = try #require(try CommandLineCase.arguments("stream", "stream"))
    #expect(parsed.command.name == "stream")
    #expect(try parsed.database == "stream")
    #expect(try CommandLineCase.arguments("log", "log")?.command.name == "log")
  }

  @Test("after -- a command's name is a database")
  func literalName() throws {
    let parsed = try #require(try CommandLineCase.arguments("--", "stream"))
    #expect(parsed.command.name == "stream")
    #expect(try parsed.database == "stream")
  }

  @Test("options may come before the command")
  func optionsFirst() throws {
    let parsed = try #require(try CommandLineCase.arguments("--limit", "3", "log", "app.db"))
    #expect(parsed.command.name == "log")
    #expect(try parsed.count("limit") == 3)
  }

  @Test("a command that does not exist is named, with the nearest one")
  func unknownCommand() {
    #expect(
      CommandLineCase.report("strem", "app.db") == """
        historywatch: there is no command "strem"
        hint: did you mean stream?

        """)
    #expect(
      CommandLineCase.report("frobnicate", "app.db", "--fast") == """
        historywatch: there is no command "frobnicate"
        hint: historywatch --help lists the commands

        """)
    #expect(CommandLineCase.report("stauts", "--json").contains("did you mean status?"))
  }

  @Test("a command after the database is put in its place")
  func commandLast() {
    #expect(
      CommandLineCase.report("app.db", "log") == """
        historywatch: the command comes before the database
        hint: write: historywatch log app.db

        """)
  }

  @Test("nothing at all is a mistake that points to the help")
  func nothing() {
    #expect(
      CommandLineCase.report() == """
        historywatch: no command and no database is named
        hint: historywatch --help lists the commands; historywatch demo shows the idea

        """)
  }

  @Test("the version is asked for with or without a command", arguments: [[], ["stream"]])
  func version(before: [String]) throws {
    guard case .version = try CommandParser().parse(before + ["--version"]) else {
      Issue.record("--version was not understood")
      return
    }
  }
}
