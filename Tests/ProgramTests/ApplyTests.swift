import Glibc
import HistoryTestSupport
import SQLite
import Testing

@Suite("Following another store")
struct ApplyTests {
  private func rows(_ store: ProgramStore) throws -> [[String]] {
    try store.store.connection().rows("SELECT id, title, done FROM tasks ORDER BY id").map {
      $0.map { "\($0)" }
    }
  }

  private func apply(_ store: ProgramStore, _ options: String..., input: String = "") throws
    -> HistorywatchProcess.Result
  {
    let process = try HistorywatchProcess(["apply", store.path] + options)
    process.write(input)
    process.closeInput()
    return try process.finish()
  }

  @Test("lines of a stream are applied, from the position that it prints")
  func stream() throws {
    let (source, target) = (try ProgramStore(), try ProgramStore())
    try source.write("one")
    let lines = try source.stream()
    let identity = try #require(lines.output.field("store"))
    let position = try apply(target, "--position", "--store", identity)
    #expect(position.output == "oldest\n")
    // Asking changes nothing.
    let made = "SELECT name FROM sqlite_schema WHERE name LIKE '_history_sync%'"
    #expect(try target.store.connection().rows(made) == [])
    #expect(try apply(target, input: lines.output).code == 0)
    let token = try source.write("two")
    let held = try apply(target, "--position", "--store", identity).output.dropLast()
    #expect(try apply(target, input: source.stream(since: String(held)).output).code == 0)
    #expect(try rows(target) == rows(source))
    #expect(try apply(target, "--position", "--store", identity).output == token + "\n")
    try source.write("three")
    let late = try source.write("four")
    #expect(try apply(target, input: source.stream(since: late).output).code == 4)
  }

  @Test("a last line without an end is taken, however long it is")
  func longLastLine() throws {
    let (source, target) = (try ProgramStore(), try ProgramStore())
    try source.write("one")
    // Without the line that ends the stream in order, and the one before it longer than JSON from
    // elsewhere may be: a row can make it so.
    let lines = try source.stream(since: "oldest", "--group", "transaction").lines.dropLast()
    let last = try #require(lines.last)
    let long = "{" + String(repeating: " ", count: 17 << 20) + last.dropFirst()
    let input = (lines.dropLast() + [long]).joined(separator: "\n")
    #expect(try apply(target, input: input).code == 0)
    #expect(try rows(target) == rows(source))
  }

  @Test("a stream leaves out what came from a store")
  func notOrigin() throws {
    let (source, target) = (try ProgramStore(), try ProgramStore())
    try source.write("one")
    let identity = try #require(source.stream().output.field("store"))
    #expect(try apply(target, "--from", source.path, "--no-follow").code == 0)
    try target.write("two")
    #expect(try target.titles() == ["one", "two"])
    let own = try target.stream(since: "oldest", "--not-origin", identity)
    #expect(own.lines.compactMap { $0.field("title") } == ["two"])
    #expect(try target.stream(since: "oldest", "--not-origin", "x").code == 2)
  }

  @Test("a store is followed until a signal ends it", .timeLimit(.minutes(1)))
  func following() throws {
    let (source, target) = (try ProgramStore(), try ProgramStore())
    try source.write("one")
    let process = try HistorywatchProcess(["apply", target.path, "--from", source.path])
    try source.write("two")
    while try rows(target).count < 2 { sched_yield() }
    try source.write("three")
    while try rows(target).count < 3 { sched_yield() }
    process.signal(SIGTERM)
    #expect(try process.finish().code == 143)
    #expect(try rows(target) == rows(source))
  }

  @Test("a conflict that nobody decides is a line and exit 1, and is decided by an option")
  func conflict() throws {
    let (source, target) = (try ProgramStore(), try ProgramStore())
    try source.write("both")
    #expect(try apply(target, "--from", source.path, "--no-follow").code == 0)
    for (store, title) in [(source, "theirs"), (target, "ours")] {
      let sql = "UPDATE tasks SET title = '\(title)'"
      #expect(try HistorywatchProcess.run(["write", store.path, "--author", "x", sql]).code == 0)
    }
    let stopped = try apply(target, "--from", source.path, "--no-follow")
    #expect(stopped.code == 1)
    #expect(stopped.lines.map { $0.field("outcome") } == ["stopped"])
    let decided = try apply(
      target, "--from", source.path, "--no-follow", "--on-conflict", "source")
    #expect(decided.code == 0)
    #expect(try rows(target) == rows(source))
    let kept = try apply(target, "--acknowledge-conflicts")
    #expect(kept.output == decided.output)
    #expect(try apply(target, "--acknowledge-conflicts").output == "")
  }

  @Test("wrong usage is told")
  func usage() throws {
    let store = try ProgramStore()
    #expect(try apply(store, "--position").code == 2)
    #expect(try apply(store, "--store", "x").code == 2)
    #expect(try apply(store, input: "no line\n").code == 2)
    #expect(try apply(store, "--from", store.path).code == 4)
  }
}
