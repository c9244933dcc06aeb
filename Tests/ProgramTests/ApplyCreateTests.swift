import Glibc
import HistoryTestSupport
import SQLite
import Testing

@Suite("Making a store that follows another")
struct ApplyCreateTests {
  /// A directory, and a path in it where there is nothing.
  private let directory: TemporaryDirectory
  private var path: String { directory.path + "/b.db" }
  private let rows = "SELECT id, title, done FROM tasks ORDER BY id"

  init() throws { directory = try TemporaryDirectory() }

  private func apply(_ options: String..., input: String = "") throws -> HistorywatchProcess.Result
  {
    let process = try HistorywatchProcess(["apply", path] + options)
    process.write(input)
    process.closeInput()
    return try process.finish()
  }

  /// A store with a row that is in no history, and one that is.
  private func source() throws -> ProgramStore {
    let source = try ProgramStore(isTracked: false)
    try source.store.connection().execute("INSERT INTO tasks(title) VALUES ('early')")
    #expect(try HistorywatchProcess.run(["track", source.path]).code == 0)
    try source.write("one")
    return source
  }

  private func expectEqual(_ source: ProgramStore) throws {
    let made = try Connection(path: path).rows(rows)
    #expect(try made == source.store.connection().rows(rows))
    #expect(made.count > 1)
  }

  @Test("from a file: the store is made with all rows, and followed from there on")
  func fromFile() throws {
    let source = try source()
    #expect(try apply("--from", source.path, "--no-follow").code == 5)
    #expect(access(path, F_OK) != 0)
    #expect(try apply("--from", source.path, "--no-follow", "--create").code == 0)
    try expectEqual(source)
    try source.write("two")
    #expect(try apply("--from", source.path, "--no-follow", "--create").code == 0)
    try expectEqual(source)
    #expect(
      try Connection(path: path).rows("PRAGMA journal_mode").map { "\($0[0])".contains("wal") } == [
        true
      ])
    #expect(try HistorywatchProcess.run(["check", path]).code == 0)
  }

  @Test("from the lines of a stream")
  func fromLines() throws {
    let source = try source()
    let all = try HistorywatchProcess.run(
      ["stream", source.path, "--no-follow", "--snapshot", "initial"])
    #expect(try apply("--create", input: all.output).code == 0)
    try expectEqual(source)
    let token = try #require(all.lines.last { $0.field("token") != nil }?.field("token"))
    try source.write("two")
    #expect(try apply("--create", input: source.stream(since: token).output).code == 0)
    try expectEqual(source)
  }

  @Test("a table that came later is made by a comparison")
  func later() throws {
    let source = try source()
    #expect(try apply("--from", source.path, "--no-follow", "--create").code == 0)
    try source.store.connection().execute("CREATE TABLE lists(name TEXT PRIMARY KEY)")
    #expect(try HistorywatchProcess.run(["track", source.path]).code == 0)
    try source.store.connection().execute("INSERT INTO lists VALUES ('home')")
    let lacking = try apply("--from", source.path, "--no-follow", "--create")
    #expect(lacking.code == 1)
    #expect(lacking.errors.contains("--create --resync"))
    #expect(try apply("--from", source.path, "--no-follow", "--create", "--resync").code == 0)
    let names = "SELECT name FROM lists"
    #expect(try Connection(path: path).rows(names) == source.store.connection().rows(names))
    try expectEqual(source)
  }

  @Test("a store that was lost is not replaced by an empty one")
  func lost() throws {
    let source = try source()
    for neighbour in ["-ready", "-wal"] {
      let file = open(path + neighbour, O_CREAT | O_WRONLY, 0o600)
      close(file)
      let refused = try apply("--from", source.path, "--no-follow", "--create")
      #expect(refused.code != 0)
      #expect(refused.errors.contains("hint"))
      #expect(access(path, F_OK) != 0)
      unlink(path + neighbour)
    }
  }
}
