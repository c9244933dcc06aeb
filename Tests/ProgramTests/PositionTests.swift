import Glibc
import HistoryTestSupport
import Testing

@Suite("Positions that cannot be used")
struct PositionTests {
  @Test(
    "what is no token is exit 4",
    arguments: ["", "nonsense", "hw1.", "hw1.AAAA", "hw2.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
  func damaged(text: String) throws {
    let store = try ProgramStore()
    let result = try store.stream(since: text)
    if text.isEmpty {
      expectFailure(result, code: 2)
    } else {
      expectFailure(result, code: 4)
    }
    #expect(result.output == "")
  }

  @Test("a token with one letter changed is exit 4")
  func flipped() throws {
    let store = try ProgramStore()
    let token = try store.write("one")
    for place in [5, 20, 30, 40, token.count - 1] {
      var letters = Array(token)
      letters[place] = letters[place] == "A" ? "B" : "A"
      expectFailure(try store.stream(since: String(letters)), code: 4)
    }
  }

  @Test("a token of another store is exit 4")
  func foreign() throws {
    let other = try ProgramStore().write("elsewhere")
    let store = try ProgramStore()
    let result = try store.stream(since: other)
    expectFailure(result, code: 4, saying: "another store")
    #expect(result.output == "")
  }

  @Test("a token from before a restore is exit 3, also once the store has grown past it")
  func restored() throws {
    let store = try ProgramStore()
    try store.write("one")
    let other = try WriterProcess(path: store.path)
    let copy = store.store.directory.file("copy.sqlite")
    try other.run("VACUUM INTO '\(copy)'")
    let lost = try store.write("lost")
    other.kill()
    for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
    try #require(rename(copy, store.path) == 0)
    for title in ["two", "three", "four"] {
      let result = try store.stream(since: lost)
      #expect(result.code == 3, "\(result.errors)")
      #expect(result.lines.dropFirst().first?.hasPrefix("{\"kind\":\"expired\"") == true)
      #expect(result.lines.dropFirst().first?.field("reason") == "store-restored")
      #expect(result.lines.last?.field("reason") == "expired")
      try store.write(title)
    }
    #expect(try store.titles() == ["one", "two", "three", "four"])
  }

  @Test("a trimmed token is exit 3, and --on-expired goes on")
  func trimmed() throws {
    let store = try ProgramStore()
    let first = try store.write("one")
    try store.write("two")
    try store.write("three")
    #expect(try HistorywatchProcess.run(["trim", store.path, "--keep-last", "1"]).code == 0)
    let result = try store.stream(since: first)
    #expect(result.code == 3)
    #expect(result.errorLines.count == 2)
    let oldest = try store.stream(since: first, "--on-expired", "oldest")
    #expect(oldest.code == 0)
    #expect(oldest.lines.compactMap { $0.field("title") } == ["three"])
    let snapshot = try store.stream(since: first, "--on-expired", "snapshot")
    #expect(snapshot.code == 0)
    #expect(snapshot.lines.compactMap { $0.field("title") } == ["one", "two", "three"])
  }
}

@Suite("Positions on the command line")
struct PositionHintTests {
  @Test("where only a token may stand, no word is offered")
  func onlyTokens() throws {
    let store = try ProgramStore()
    let path = store.path
    #expect(try HistorywatchProcess.run(["consumer", "create", path, "mirror"]).code == 0)
    for words in [
      ["consumer", "acknowledge", path, "mirror", "oldest"], ["trim", path, "--through", "oldest"],
    ] {
      let result = try HistorywatchProcess.run(words)
      expectFailure(result, code: 4, saying: "not a token")
      #expect(result.errorLines.last == "hint: give a token that a stream or write printed")
    }
    let since = try HistorywatchProcess.run(["stream", path, "--since", "first"])
    #expect(since.errorLines.last?.hasSuffix("or oldest, or now") == true)
  }

  @Test("an expired one is told with what this command can do about it")
  func expired() throws {
    let store = try ProgramStore()
    let first = try store.write("one")
    try store.write("two")
    #expect(try HistorywatchProcess.run(["consumer", "create", store.path, "late"]).code == 0)
    #expect(
      try HistorywatchProcess.run(["trim", store.path, "--keep-last", "0", "--force"]).code == 0)
    let state = store.store.directory.file("state")
    for (words, hint) in [
      (["consumer", "create", store.path, "mirror", "--at", first], "--at oldest"),
      (["consumer", "acknowledge", store.path, "late", first], "consumer list"),
      (["run", store.path, "--since", first, "--state", state, "--", "true"], "--since oldest"),
    ] {
      let result = try HistorywatchProcess.run(words)
      expectFailure(result, code: 3)
      #expect(result.errorLines.last?.contains(hint) == true, "\(result.errors)")
    }
  }
}

@Suite("Cursor files")
struct CursorFileTests {
  private func arguments(_ store: ProgramStore, _ more: String...) -> [String] {
    ["stream", store.path, "--cursor-file", store.store.directory.file("cursor")] + more
  }

  @Test(
    "an empty or damaged one is exit 4, and stays as it is",
    arguments: ["", "\n", "nonsense", "hw1.AAAA\n", "\u{0}\u{0}\u{0}"])
  func damaged(text: String) throws {
    let store = try ProgramStore()
    let path = store.store.directory.file("cursor")
    let file = try #require(fopen(path, "w"))
    fwrite(text, 1, text.utf8.count, file)
    fclose(file)
    let result = try HistorywatchProcess.run(arguments(store, "--no-follow"))
    expectFailure(result, code: 4, saying: "cursor file")
    #expect(result.output == "")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_size == text.utf8.count)
  }

  @Test("one of another store is named")
  func ofAnotherStore() throws {
    let store = try ProgramStore()
    let other = try ProgramStore().write("elsewhere")
    try TemporaryDirectory.write(
      Array("\(other)\n".utf8), to: store.store.directory.file("cursor"))
    let result = try HistorywatchProcess.run(arguments(store, "--no-follow"))
    expectFailure(result, code: 4, saying: "cursor is of another store")
    #expect(result.errorLines.last?.contains("a cursor file of its own") == true)
  }

  @Test("one that another stream uses is exit 1")
  func inUse() throws {
    let store = try ProgramStore()
    let first = try HistorywatchProcess(arguments(store))
    try first.lines(through: "hello")
    let second = try HistorywatchProcess.run(arguments(store, "--no-follow"))
    expectFailure(second, code: 1, saying: "in use")
  }

  @Test("one in a directory that does not exist is exit 1")
  func nowhere() throws {
    let store = try ProgramStore()
    let result = try HistorywatchProcess.run(
      ["stream", store.path, "--no-follow", "--cursor-file", "/nonexistent/cursor"])
    expectFailure(result, code: 1, saying: "cursor file")
  }

  @Test("after kill -9 a stream goes on from it, and nothing is missing")
  func killed() throws {
    let store = try ProgramStore()
    let first = try HistorywatchProcess(arguments(store, "--since", "oldest"))
    try first.lines(through: "hello")
    var seen: [String] = []
    for number in 0..<5 {
      try store.write("task \(number)")
      seen += try first.lines(through: "commit").compactMap { $0.field("title") }
    }
    first.signal(SIGKILL)
    #expect(try first.finish().code == 128 + SIGKILL)
    for number in 5..<8 { try store.write("task \(number)") }
    let second = try HistorywatchProcess.run(arguments(store, "--no-follow"))
    #expect(second.code == 0, "\(second.errors)")
    let then = second.lines.compactMap { $0.field("title") }
    // What followed the saved position comes again; what is before it does not come twice.
    let all = (0..<8).map { "task \($0)" }
    #expect(seen == Array(all.prefix(5)))
    #expect(then == Array(all.suffix(then.count)) && then.count >= 3)
    let third = try HistorywatchProcess.run(arguments(store, "--no-follow"))
    #expect(third.lines.compactMap { $0.field("title") } == [])
  }
}
