import Testing

@testable import HistoryCommands

@Suite("Mistakes in options")
struct OptionMistakeTests {
  @Test("an unknown option suggests the nearest one of the command")
  func nearest() {
    #expect(
      CommandLineCase.report("stream", "app.db", "--no-folow") == """
        historywatch: stream has no option --no-folow
        hint: did you mean --no-follow?

        """)
    #expect(CommandLineCase.report("--sinse", "oldest", "app.db").contains("did you mean --since?"))
    #expect(CommandLineCase.report("app.db", "-limit=3").contains("did you mean --limit?"))
    #expect(CommandLineCase.report("app.db", "--hlep").contains("did you mean --help?"))
  }

  @Test("an option of other commands is said to be theirs, any other is not guessed")
  func elsewhere() {
    #expect(
      CommandLineCase.report("track", "app.db", "--json") == """
        historywatch: track has no option --json
        hint: --json is an option of log and status

        """)
    #expect(
      CommandLineCase.report("stream", "app.db", "--frobnicate") == """
        historywatch: stream has no option --frobnicate
        hint: historywatch stream --help lists its options

        """)
  }

  @Test("an option that follows is not taken for a forgotten value")
  func missingValue() {
    let expected = """
      historywatch: --since needs a value
      hint: write --since TOKEN|oldest|now

      """
    #expect(CommandLineCase.report("app.db", "--since") == expected)
    #expect(CommandLineCase.report("app.db", "--since", "--no-follow") == expected)
    #expect(CommandLineCase.report("--since", "--", "app.db") == expected)
  }

  @Test("a value that begins with a dash is told how to be given")
  func dashedValue() {
    #expect(
      CommandLineCase.report("app.db", "--limit", "-5") == """
        historywatch: --limit needs a value
        hint: write --limit N; a value that starts with a dash is given as --limit=-5

        """)
  }

  @Test("a flag takes no value, and nothing that is not repeatable comes twice")
  func flags() {
    #expect(CommandLineCase.report("app.db", "--no-follow=yes").contains("takes no value"))
    #expect(CommandLineCase.report("app.db", "--limit=1", "--limit=1").contains("given twice"))
    #expect(CommandLineCase.report("app.db", "--no-follow", "--no-follow").contains("given twice"))
  }

  @Test(
    "an empty value is refused where it means nothing",
    arguments: ["--since", "--table", "--consumer", "--cursor-file", "--limit", "--op"])
  func empty(option: String) {
    #expect(CommandLineCase.report("app.db", option, "").contains("\(option) is empty"))
  }

  @Test("writing needs a name: an empty author is refused, an empty context is not")
  func emptyAuthor() {
    #expect(CommandLineCase.report("write", "a.db", "--author", "").contains("--author is empty"))
    #expect(CommandLineCase.report("write", "a.db", "--context", "").isEmpty)
  }

  @Test(
    "a word that is not among the choices is answered with all of them",
    arguments: ["--snapshot", "--on-expired", "--group", "--op"])
  func choice(option: String) throws {
    let words = try #require(
      CommandSpecification.stream.options.first { "--\($0.name)" == option }?.value?.words)
    let report = CommandLineCase.report("app.db", option, "always")
    #expect(report.hasPrefix("historywatch: \(option) cannot be \"always\"\nhint: it can be "))
    for word in words { #expect(report.contains(word)) }
  }

  @Test("a mistyped choice is recognised")
  func nearChoice() {
    #expect(
      CommandLineCase.report("app.db", "--op", "updte") == """
        historywatch: --op cannot be "updte"
        hint: did you mean update? it can be insert, update or delete

        """)
  }

  @Test("a position in a file and one in the store exclude each other")
  func excluded() {
    #expect(
      CommandLineCase.report("app.db", "--consumer", "a", "--cursor-file", "f") == """
        historywatch: --cursor-file and --consumer cannot be used together
        hint: leave one of them out

        """)
  }

  @Test("trim needs to know how much")
  func needed() {
    #expect(
      CommandLineCase.report("trim", "app.db", "--force") == """
        historywatch: trim needs to know how much
        hint: give --older-than DURATION, --keep-last N, --through TOKEN or --max-size SIZE

        """)
  }

  @Test("migrate needs a plan, and ready a schema")
  func neededByOthers() {
    #expect(
      CommandLineCase.report("migrate", "app.db") == """
        historywatch: migrate needs a plan
        hint: give --plan DIRECTORY

        """)
    #expect(
      CommandLineCase.report("ready", "app.db") == """
        historywatch: ready needs to know which schema
        hint: give --schema N

        """)
  }

  @Test("each command that needs an option says what for")
  func needIsSaid() {
    for command in CommandRegistry.standard.commands {
      #expect(command.requiresOneOf.isEmpty == command.need.isEmpty, "\(command.name)")
    }
  }
}
