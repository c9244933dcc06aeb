import Glibc
import HistoryTestSupport
import Testing

@Suite("Help")
struct HelpTests {
  static let commands = [
    "track", "untrack", "stream", "log", "run", "consumer", "write", "status", "check", "trim",
    "demo", "completions",
  ]

  @Test("every page has name, usage, options and an example", arguments: commands)
  func page(command: String) throws {
    let result = try HistorywatchProcess.run([command, "--help"])
    #expect(result.code == 0)
    #expect(result.errors == "")
    #expect(result.lines[0].hasPrefix("historywatch \(command) - "))
    let name = command == "stream" ? "[stream]" : command
    #expect(result.output.contains("\nUsage: historywatch \(name)"))
    let example = result.lines.firstIndex(of: "Example").map { result.lines[$0 + 1] }
    #expect(example?.contains("historywatch") == true)
    #expect(result.output.contains("\nExit codes\n"))
    #expect(result.lines.allSatisfy { $0.count <= 80 })
    #expect(try HistorywatchProcess.run(["help", command]).output == result.output)
  }

  @Test("the page of all commands names each")
  func all() throws {
    let result = try HistorywatchProcess.run(["--help"])
    #expect(result.code == 0)
    for command in Self.commands { #expect(result.output.contains("\n  \(command) ")) }
  }

  @Test("--version names the program and its libraries")
  func version() throws {
    let result = try HistorywatchProcess.run(["--version"])
    #expect(result.code == 0)
    #expect(result.lines.count == 3)
    for (line, name) in zip(result.lines, ["historywatch ", "SQLite 3.", "libuv 1."]) {
      #expect(line.hasPrefix(name))
    }
  }

  static let mistakes: [([String], String)] = [
    ([], "historywatch --help lists the commands"),
    (["stream", "a.db", "--folow"], "hint: "),
    (["stream", "a.db", "--no-folow"], "did you mean --no-follow?"),
    (["log", "a.db", "--jsno"], "did you mean --json?"),
    (["stream", "a.db", "--limit", "many"], "hint: "),
    (["stream", "a.db", "--timeout", "10"], "hint: "),
    (["stream", "a.db", "--op", "upsert"], "hint: "),
    (["stream", "a.db", "b.db"], "usage: historywatch"),
    (["stream"], "usage: historywatch"),
    (["trim", "a.db"], "hint: "),
    (["stream", "a.db", "--consumer", "c", "--cursor-file", "f"], "hint: "),
    (["completions", "csh"], "hint: "),
    (["streem", "a.db"], "stream"),
  ]

  @Test("wrong usage is exit 2, with what to write instead", arguments: mistakes)
  func mistake(arguments: [String], hint: String) throws {
    let result = try HistorywatchProcess.run(arguments)
    expectFailure(result, code: 2)
    #expect(result.errorLines.last?.contains(hint) == true, "\(result.errors)")
    #expect(result.output == "")
  }

  @Test("a directory in the place of a file to write is refused, and nothing is left beside it")
  func directories() throws {
    let store = try ProgramStore()
    let place = store.store.directory.file("place")
    try #require(mkdir(place, 0o700) == 0)
    for words in [
      ["stream", store.path, "--no-follow", "--cursor-file", place],
      ["run", store.path, "--state", place, "--", "true"],
    ] {
      let result = try HistorywatchProcess.run(words)
      expectFailure(result, code: 2, saying: "\(place) is a directory")
    }
    for suffix in [".lock", "/.lock"] { #expect(access(place + suffix, F_OK) != 0) }
  }

  @Test("what the system says of a file is said once, without the call's name")
  func systemReasons() throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(
      ["stream", store.path, "--no-follow", "--cursor-file", "/nonexistent/cursor"])
    #expect(
      result.errorLines.first == "historywatch: the cursor file /nonexistent/cursor cannot be "
        + "locked: no such file or directory")
    let options = try HistorywatchProcess.run(
      ["snapshot", store.path, "--query", "SELECT 1", "--output", "f", "--debounce", "1s"])
    #expect(options.errorLines.last == "hint: add --follow")
  }

  @Test("a lone mistyped command is taken for one, unless there is such a database")
  func loneCommand() throws {
    let result = try HistorywatchProcess.run(["stauts"])
    expectFailure(result, code: 5, saying: "there is no database at stauts")
    #expect(result.errorLines.last == "hint: did you mean the command status?")
    let path = try HistorywatchProcess.run(["./stauts"])
    #expect(path.errorLines.last?.contains("never creates a database") == true)
  }

  @Test("every shell's completion is printed", arguments: ["bash", "zsh", "fish"])
  func completions(shell: String) throws {
    let result = try HistorywatchProcess.run(["completions", shell])
    #expect(result.code == 0)
    #expect(result.output.contains("historywatch"))
  }
}
