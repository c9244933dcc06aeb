import Testing

@testable import HistoryCommands

@Suite("Operands")
struct OperandTests {
  @Test("a command without its database says so and shows its usage")
  func missingDatabase() {
    #expect(
      CommandLineCase.report("track") == """
        historywatch: no database is named
        hint: usage: historywatch track [OPTIONS] DATABASE [TABLE...]

        """)
    #expect(CommandLineCase.report("--no-follow").contains("no database is named"))
    #expect(CommandLineCase.report("stream", "").contains("DATABASE is empty"))
  }

  @Test("what is too much is counted, not repeated: it may be SQL")
  func tooMany() {
    #expect(
      CommandLineCase.report("write", "a.db", "INSERT", "secret") == """
        historywatch: write got 1 argument too many
        hint: usage: historywatch write [OPTIONS] DATABASE [SQL]

        """)
    #expect(CommandLineCase.report("a.db", "b.db", "c.db").contains("2 arguments too many"))
  }

  @Test("tables follow the database")
  func tables() throws {
    let parsed = try #require(
      try CommandLineCase.arguments("track", "a.db", "x", "--no-times", "y", "--except", "z"))
    #expect(parsed.operands("TABLE") == ["x", "y"])
    #expect(parsed.values("except") == ["z"])
    #expect(try CommandLineCase.arguments("track", "a.db")?.operands("TABLE") == [])
  }

  @Test(
    "a consumer's action may come before or after the database",
    arguments: [["create", "a.db", "mirror"], ["a.db", "create", "mirror"]])
  func actions(words: [String]) throws {
    guard case .command(let parsed) = try CommandParser().parse(["consumer"] + words) else {
      Issue.record("not a command: \(words)")
      return
    }
    #expect(parsed.action == "create")
    #expect(try parsed.database == "a.db")
    #expect(parsed.operand("NAME") == "mirror")
    #expect(parsed.value("at") == nil)
  }

  @Test("each action has operands and options of its own")
  func actionForms() throws {
    let list = try CommandLineCase.arguments("consumer", "list", "list")
    #expect(try list?.database == "list")
    let move = try CommandLineCase.arguments("consumer", "acknowledge", "a.db", "mirror", "hw1.x")
    #expect(move?.operand("TOKEN") == "hw1.x")
    let made = try CommandLineCase.arguments("consumer", "create", "a.db", "m", "--at", "oldest")
    #expect(made?.value("at") == "oldest")
    #expect(
      CommandLineCase.report("consumer", "remove", "a.db", "m", "--at=oldest") == """
        historywatch: consumer remove has no option --at
        hint: --at is an option of consumer create

        """)
    #expect(
      CommandLineCase.report("consumer", "create", "a.db") == """
        historywatch: the NAME is missing
        hint: usage: historywatch consumer create DATABASE NAME [--at TOKEN|oldest]

        """)
  }

  @Test("a missing or mistyped action is told from a path")
  func unknownAction() {
    #expect(
      CommandLineCase.report("consumer", "a.db") == """
        historywatch: consumer needs an action: list, create, acknowledge or remove
        hint: historywatch consumer --help explains them

        """)
    #expect(CommandLineCase.report("consumer", "creat", "a.db").contains("did you mean create?"))
    #expect(CommandLineCase.report("consumer", "forget", "a.db").contains("it can list, create"))
  }

  @Test("completions knows three shells and no other")
  func shells() throws {
    #expect(try CommandLineCase.arguments("completions", "zsh")?.operand("SHELL") == "zsh")
    #expect(
      CommandLineCase.report("completions", "tcsh") == """
        historywatch: SHELL cannot be "tcsh"
        hint: it can be bash, zsh or fish

        """)
    #expect(CommandLineCase.report("completions").contains("the SHELL is missing"))
  }

  @Test("what is to be run is all that follows two dashes, whatever it looks like")
  func command() throws {
    let parsed = try #require(
      try CommandLineCase.arguments(
        "run", "--kind", "list", "a.db", "--", "make", "--table", "-j4", "", "--", "log"))
    #expect(try parsed.database == "a.db")
    #expect(parsed.operands("COMMAND") == ["make", "--table", "-j4", "", "--", "log"])
    #expect(parsed.values("table").isEmpty)
    let later = try CommandLineCase.arguments("--debounce", "1s", "run", "a.db", "--", "run")
    #expect(later?.operands("COMMAND") == ["run"])
  }

  @Test("a command line without what is to be run, or without two dashes, shows how it goes")
  func missingCommand() {
    let usage = "hint: usage: historywatch run [OPTIONS] DATABASE -- COMMAND [ARGUMENT...]\n"
    for words in [["a.db"], ["a.db", "--"], ["a.db", "make"]] {
      #expect(
        CommandLineCase.report(["run"] + words)
          == "historywatch: the COMMAND is missing\n" + usage)
    }
    #expect(
      CommandLineCase.report("run", "--", "make")
        == "historywatch: no database is named\n" + usage)
    #expect(
      CommandLineCase.report("run", "a.db", "b.db", "--", "make")
        == "historywatch: run got 1 argument too many\n" + usage)
    #expect(CommandLineCase.report("run", "a.db", "--", "").contains("COMMAND is empty"))
  }
}
