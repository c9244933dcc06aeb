import Glibc
import HistoryTestSupport
import Testing

/// A user who may do little, which root only plays.
enum Nobody {
  /// Runs a program without the rights of root.
  static let runner =
    getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []

  /// Whether that user can be played here and can reach the program.
  static let canRun =
    (try? HistorywatchProcess.run(["--version"], runner: runner).code) == 0
}

@Suite(
  "Missing permissions",
  .enabled(if: Nobody.canRun, "root is refused nothing, and nobody cannot run the program here"))
struct PermissionTests {
  private func store(_ journal: TemporaryStore.Journal) throws -> ProgramStore {
    let store = try ProgramStore(journal: journal)
    try store.write("one")
    try #require(chmod(store.store.directory.path, 0o755) == 0)
    return store
  }

  @Test("a file that may not be read is exit 5")
  func unreadable() throws {
    let store = try store(.delete)
    try #require(chmod(store.path, 0) == 0)
    let result = try HistorywatchProcess.run(["status", store.path], runner: Nobody.runner)
    expectFailure(result, code: 5, saying: "this user may not read \(store.path)")
  }

  @Test("a write-ahead log in a directory that may not be written to is told with what it needs")
  func logInReadOnlyDirectory() throws {
    let store = try store(.wal)
    for suffix in ["-wal", "-shm"] { unlink(store.path + suffix) }
    try #require(chmod(store.path, 0o644) == 0)
    for command in [["status", store.path], ["stream", store.path, "--no-follow"]] {
      let result = try HistorywatchProcess.run(command, runner: Nobody.runner)
      expectFailure(result, code: 5, saying: "SQLite cannot make the files that it needs beside")
      #expect(result.errorLines.last?.contains("write to the directory, or read a copy") == true)
    }
  }

  @Test("a file that may only be read is read, and writing is exit 5")
  func readOnlyFile() throws {
    let store = try store(.delete)
    try #require(chmod(store.path, 0o444) == 0)
    let stream = try HistorywatchProcess.run(
      ["stream", store.path, "--since", "oldest", "--no-follow"], runner: Nobody.runner)
    #expect(stream.code == 0, "\(stream.errors)")
    #expect(stream.lines.compactMap { $0.field("title") } == ["one"])
    let sql = "INSERT INTO tasks(title) VALUES ('two')"
    for command in [
      ["track", "--capture", "full", store.path], ["write", "--author", "a", store.path, sql],
      ["untrack", store.path], ["consumer", "create", store.path, "c"],
    ] {
      let result = try HistorywatchProcess.run(command, runner: Nobody.runner)
      expectFailure(result, code: 5, saying: store.path)
    }
    #expect(try store.titles() == ["one"])
  }

  @Test("a directory that may not be written to is exit 5 for a writer, and says why")
  func readOnlyDirectory() throws {
    let store = try store(.delete)
    try #require(chmod(store.path, 0o666) == 0)
    let result = try HistorywatchProcess.run(
      ["write", store.path, "--author", "a", "INSERT INTO tasks(title) VALUES ('two')"],
      runner: Nobody.runner)
    expectFailure(result, code: 5, saying: store.path)
    #expect(try store.titles() == ["one"])
  }

  @Test("a cursor file that cannot be written is exit 1, before anything is shown")
  func cursor() throws {
    let store = try store(.delete)
    try #require(chmod(store.path, 0o644) == 0)
    let result = try HistorywatchProcess.run(
      ["stream", store.path, "--cursor-file", store.store.directory.file("cursor"), "--no-follow"],
      runner: Nobody.runner)
    expectFailure(result, code: 1, saying: "cursor")
    #expect(result.output == "")
  }
}
