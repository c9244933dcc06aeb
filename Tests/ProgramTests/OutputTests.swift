import Glibc
import HistoryTestSupport
import Testing

@Suite("Standard output")
struct OutputTests {
  @Test(
    "a reader who is gone is exit 141, without a word",
    arguments: [
      ["stream", "--since", "oldest", "--no-follow"], ["log"], ["status"], ["--help"],
      ["--version"],
    ])
  func closed(command: [String]) throws {
    let store = try ProgramStore()
    try store.write("one")
    let operands = command[0].hasPrefix("--") ? [] : [store.path]
    let result = try HistorywatchProcess(command + operands, output: .closed).finish()
    #expect(result.code == 141)
    #expect(result.errors == "")
  }

  @Test("a reader who goes away while nothing happens ends the stream, which saves its position")
  func goesAway() throws {
    let store = try ProgramStore()
    let cursor = store.store.directory.file("cursor")
    let stream = try HistorywatchProcess(["stream", store.path, "--cursor-file", cursor])
    try stream.lines(through: "hello")
    stream.closeOutput()
    let result = try stream.finish()
    #expect(result.code == 141)
    #expect(result.errors == "")
    #expect(access(cursor, R_OK) == 0)
  }

  @Test(
    "a full device is exit 1, and is said",
    arguments: [["stream", "--since", "oldest", "--no-follow"], ["log"], ["status"]])
  func full(command: [String]) throws {
    let store = try ProgramStore()
    try store.write("one")
    let process = try HistorywatchProcess(command + [store.path], output: .file("/dev/full"))
    expectFailure(try process.finish(), code: 1, saying: "standard output failed")
  }
}

@Suite("Signals")
struct SignalTests {
  @Test(
    "a stream ends in order, and says how",
    arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
  func stream(signal: Int32, code: Int32) throws {
    let store = try ProgramStore()
    let cursor = store.store.directory.file("cursor")
    let stream = try HistorywatchProcess(["stream", store.path, "--cursor-file", cursor])
    try stream.lines(through: "hello")
    let token = try store.write("one")
    try stream.lines(through: "commit")
    stream.signal(signal)
    let result = try stream.finish()
    #expect(result.code == code)
    #expect(result.errors == "")
    #expect(result.lines.last == "{\"kind\":\"bye\",\"reason\":\"signal\",\"token\":\"\(token)\"}")
    let next = try HistorywatchProcess.run(
      ["stream", store.path, "--cursor-file", cursor, "--no-follow"])
    #expect(next.lines.map { $0.field("kind") } == ["hello", "bye"])
    #expect(next.lines[0].field("token") == token)
  }

  @Test("a signal while the reader does not read ends the stream all the same")
  func stuck() throws {
    let store = try ProgramStore()
    try HistorywatchProcess.run(
      [
        "write", store.path, "--author", "app",
        "INSERT INTO tasks(title) VALUES (hex(zeroblob(500000))), (hex(zeroblob(500000)))",
      ])
    let stream = try HistorywatchProcess(["stream", store.path, "--since", "oldest"])
    _ = try stream.line()
    // More than a pipe holds is on its way, and stays there.
    stream.readsOutput = false
    stream.signal(SIGTERM)
    #expect(try stream.finish().code == 143)
  }
}
