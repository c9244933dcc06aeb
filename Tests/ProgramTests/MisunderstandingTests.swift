import Glibc
import HistoryTestSupport
import SQLite
import Testing

/// What was asked for and cannot be meant is refused; it was once done, or waited for, in silence.
@Suite("What cannot be meant")
struct MisunderstandingTests {
  private func refused(
    _ store: ProgramStore, _ command: String, _ options: [String], saying words: String,
    code: Int32 = 2
  ) throws {
    let process = try HistorywatchProcess([command, store.path] + options)
    process.closeInput()
    let result = try process.finish()
    #expect(result.code == code)
    #expect(result.errors.contains(words), "\(result.errors)")
    #expect(result.errors.contains("hint: "))
  }

  @Test("SQL with a parameter has no value for it", arguments: ["?", ":title", "@a", "$b"])
  func parameter(name: String) throws {
    let store = try ProgramStore()
    try store.write("one")
    try refused(
      store, "write", ["--author", "x", "UPDATE tasks SET title = \(name)"],
      saying: "has a parameter \(name)", code: 1)
    #expect(try store.titles() == ["one"])
    #expect(try store.stream(since: "oldest").lines.filter { $0.contains("update") } == [])
  }

  @Test("no SQL at all", arguments: ["", " \n\t", "-"])
  func nothing(sql: String) throws {
    try refused(ProgramStore(), "write", ["--author", "x", sql], saying: "no SQL")
  }

  @Test("a pipe into apply that brings nothing")
  func emptyPipe() throws {
    try refused(ProgramStore(), "apply", [], saying: "before a stream began", code: 1)
  }

  @Test("an author who is asked for and left out")
  func author() throws {
    let store = try ProgramStore()
    let filter = ["--author", "a", "--not-author", "a"]
    for command in ["stream", "log", "run"] {
      let operands = command == "run" ? ["--", "true"] : []
      try refused(store, command, filter + operands, saying: "left out again")
    }
    try refused(
      store, "run", ["--author", "a", "--ignore-own", "a", "--", "true"], saying: "--ignore-own")
  }

  @Test("limits of a history that would keep nothing")
  func limits() throws {
    let store = try ProgramStore()
    for (option, value) in [("--keep", "0s"), ("--keep-size", "1KB")] {
      try refused(
        store, "serve", ["--socket", store.path + ".socket", option, value], saying: option)
    }
  }

  @Test("tables that nobody tracks are named")
  func untracked() throws {
    let store = try ProgramStore()
    try store.store.connection().execute("CREATE TABLE later(a); CREATE VIEW v AS SELECT 1")
    let check = try HistorywatchProcess.run(["check", store.path])
    #expect(check.code == 0)
    #expect(check.output.contains("note: later is not tracked"))
    #expect(!check.output.contains("v is not tracked"))
  }

  @Test("a table that is asked for and not tracked is told, and waited for")
  func untrackedFilter() throws {
    let store = try ProgramStore()
    try store.store.connection().execute("CREATE TABLE later(a)")
    for command in [["stream", "--no-follow"], ["log"]] {
      let told = try HistorywatchProcess.run(
        command + [store.path, "--table", "Later", "--table", "none", "--table", "tasks"])
      #expect(told.code == 0)
      #expect(told.errors.contains("historywatch: later and none are not tracked now"))
      let quiet = try HistorywatchProcess.run(command + [store.path, "--table", "TASKS"])
      #expect(!quiet.errors.contains("not tracked"))
    }
    let process = try HistorywatchProcess(["run", store.path, "--table", "none", "--", "true"])
    #expect(try process.errorLine().hasSuffix(": watching \(store.path)"))
    #expect(try process.errorLine().contains("none is not tracked now"))
    process.signal(SIGTERM)
    #expect(try process.finish().code == 143)
  }

  @Test("a new identity is told")
  func identity() throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(["track", store.path, "--new-identity"])
    let identity = try #require(store.stream().output.field("store"))
    #expect(result.errors.contains(identity))
    #expect(!result.errors.contains("nothing to do"))
  }
}
