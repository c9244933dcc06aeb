import Glibc
import HistoryTestSupport
import Testing

@Suite("Bad databases")
struct BadDatabaseTests {
  /// Every command that opens a database, without its path.
  static let commands: [[String]] = [
    ["track"], ["untrack"], ["stream"], ["stream", "--no-follow"], ["log"], ["log", "--json"],
    ["status"], ["status", "--json"], ["check"], ["trim", "--keep-last", "1"],
    ["consumer", "list"], ["write", "--author", "app", "--file", "/dev/null"],
  ]

  @Test("a path that leads nowhere is exit 5, and no file is made", arguments: commands)
  func missing(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("missing.sqlite")
    let result = try HistorywatchProcess.run(command + [path])
    expectFailure(result, code: 5, saying: "there is no database at \(path)")
    #expect(result.output == "")
    #expect(access(path, F_OK) != 0)
  }

  @Test("a directory is exit 5", arguments: commands)
  func directory(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let result = try HistorywatchProcess.run(command + [directory.path])
    expectFailure(result, code: 5, saying: "is a directory")
    #expect(result.output == "")
  }

  @Test("an empty file is exit 5, and stays empty", arguments: commands)
  func empty(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let path = try file("", in: directory)
    let result = try HistorywatchProcess.run(command + [path])
    expectFailure(result, code: 5)
    #expect(contents(path) == [])
  }

  @Test("what is not a database is exit 5, and stays as it is", arguments: commands)
  func foreign(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let text = String(repeating: "It was never a database, or is encrypted.\n", count: 99)
    let path = try file(text, in: directory)
    let result = try HistorywatchProcess.run(command + [path])
    expectFailure(result, code: 5, saying: "is not a database")
    #expect(result.output == "")
    let isLeftAlone = contents(path) == Array(text.utf8)
    #expect(isLeftAlone)
  }

  @Test("a damaged database is exit 5, and stays as it is", arguments: commands)
  func damaged(command: [String]) throws {
    let directory = try TemporaryDirectory()
    let store = try ProgramStore(journal: .delete)
    // Whole pages of nonsense behind a good header.
    var bytes = contents(store.path)
    for place in bytes.indices.dropFirst(100) { bytes[place] = UInt8(truncatingIfNeeded: place) }
    let path = try file(bytes, in: directory)
    let result = try HistorywatchProcess.run(command + [path])
    expectFailure(result, code: 5)
    let isLeftAlone = contents(path) == bytes
    #expect(isLeftAlone)
  }

  @Test("a device and a socket are exit 5")
  func device() throws {
    expectFailure(
      try HistorywatchProcess.run(["status", "/dev/null"]), code: 5, saying: "not a regular file")
  }

  @Test(
    "an untracked database is exit 5, and says how to begin",
    arguments: [["stream"], ["log"], ["status"], ["check"], ["consumer", "list"]])
  func untracked(command: [String]) throws {
    let store = try ProgramStore(isTracked: false)
    let result = try HistorywatchProcess.run(command + [store.path])
    expectFailure(result, code: 5, saying: "is not tracked")
    #expect(result.errorLines.last == "hint: begin with: historywatch track \(store.path)")
  }

  private func file(_ text: String, in directory: TemporaryDirectory) throws -> String {
    try file(Array(text.utf8), in: directory)
  }

  private func file(_ bytes: [UInt8], in directory: TemporaryDirectory) throws -> String {
    let path = directory.file("file.sqlite")
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    return path
  }

  private func contents(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }
}
