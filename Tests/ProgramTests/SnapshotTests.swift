import Glibc
import HistoryTestSupport
import SQLite
import Testing

/// `snapshot` without `--follow`: one file of facts, or none.
@Suite("snapshot", .timeLimit(.minutes(1)))
struct SnapshotTests {
  private static let query = "SELECT id, title FROM tasks"

  private func snapshot(
    _ store: ProgramStore, _ file: String, _ more: String...
  ) throws -> HistorywatchProcess.Result {
    try HistorywatchProcess.run(
      ["snapshot", store.path, "--output", file] + (more.isEmpty ? ["--query", Self.query] : more))
  }

  @Test("the file is one object: format, schema, token, time, and rows in their order")
  func whole() throws {
    let store = try ProgramStore()
    try store.write("b")
    let token = try store.write("a")
    let file = store.store.directory.file("facts.json")
    let result = try snapshot(store, file)
    #expect(result.code == 0)
    #expect(result.output == "")
    #expect(result.errors == "")
    let text = try content(of: file)
    let time = try #require(text.field("generatedAt"))
    #expect(
      text == #"{"format":1,"schema":null,"token":"\#(token)","generatedAt":"\#(time)","#
        + #""rows":[{"id":1,"title":"b"},{"id":2,"title":"a"}]}"# + "\n")
    #expect(time.utf8.count == 24)
    #expect(try store.stream(since: token).lines.count == 2)
  }

  @Test("values keep their class; a parameter gets its value; repeated names get a number")
  func values() throws {
    let store = try ProgramStore()
    let file = store.store.directory.file("facts.json")
    let result = try snapshot(
      store, file, "--query", "SELECT x'ff' AS b, 1.0 AS r, NULL AS n, :t AS t, :t AS t",
      "--bind", "t=milk")
    #expect(result.code == 0, "\(result.errors)")
    #expect(
      try content(of: file).hasSuffix(
        #""rows":[{"b":{"$blob":"/w=="},"r":1.0,"n":null,"t":"milk","t:1":"milk"}]}"# + "\n"))
  }

  @Test("a database without history has no token, and no one's schema but its owner's counts")
  func untracked() throws {
    let store = try ProgramStore(isTracked: false)
    try store.store.connection().execute("PRAGMA user_version = 7")
    let file = store.store.directory.file("facts.json")
    #expect(try snapshot(store, file).code == 0)
    let text = try content(of: file)
    #expect(text.hasPrefix(#"{"format":1,"schema":null,"token":null,"generatedAt":""#))
    #expect(text.hasSuffix(#""rows":[]}"# + "\n"))
  }

  @Test("the schema is the version that the owner vouches for")
  func schema() throws {
    let store = try ProgramStore()
    let plan = try store.plan(["CREATE TABLE lists(id INTEGER PRIMARY KEY)", "SELECT 1"])
    #expect(try HistorywatchProcess.run(["migrate", store.path, "--plan", plan]).code == 0)
    let file = store.store.directory.file("facts.json")
    #expect(try snapshot(store, file).code == 0)
    #expect(try content(of: file).hasPrefix(#"{"format":1,"schema":2,"token":""#))
    #expect(unlink(store.path + "-ready") == 0)
    #expect(try snapshot(store, file).code == 0)
    #expect(try content(of: file).hasPrefix(#"{"format":1,"schema":null,"token":""#))
  }

  @Test("whoever may read the database may read the file", arguments: [0o640, 0o600, 0o644])
  func permissions(mode: mode_t) throws {
    let store = try ProgramStore()
    try #require(chmod(store.path, mode) == 0)
    let file = store.store.directory.file("facts.json")
    #expect(try snapshot(store, file).code == 0)
    var status = stat()
    try #require(stat(file, &status) == 0)
    #expect(status.st_mode & 0o777 == mode)
  }

  @Test(
    "what is refused leaves the file of before, and nothing beside it",
    arguments: [
      (["--query", "SELECT nothing FROM tasks"], 1), (["--query", "DELETE FROM tasks"], 2),
      (["--query", "SELECT 1; SELECT 2"], 2), (["--query", "PRAGMA user_version"], 2),
      (["--query", ""], 2), (["--query", "--"], 2), ([], 2),
      (["--query", "EXPLAIN SELECT 1"], 2),
      (["--query", "INSERT INTO tasks(title) VALUES ('a') RETURNING 1"], 2),
      (["--query", "SELECT :a"], 2), (["--query", "SELECT 1", "--bind", "a=1"], 2),
      (["--query", "SELECT 1", "--bind", "a"], 2),
      (["--query", "SELECT 1", "--debounce", "1s"], 2),
      (["--query", "SELECT 1", "--max-wait", "1s"], 2), (["--query", "SELECT 1", "--", "true"], 2),
      (["--query", "SELECT abs(-9223372036854775808)"], 1),
    ] as [([String], Int32)])
  func refused(options: [String], code: Int32) throws {
    let store = try ProgramStore()
    let directory = try TemporaryDirectory()
    let file = directory.file("facts.json")
    try write("the old one", to: file)
    let words = ["snapshot", store.path, "--output", file] + options
    expectFailure(try HistorywatchProcess.run(words), code: code)
    #expect(try content(of: file) == "the old one")
    #expect(try names(in: directory.path) == ["facts.json"])
    #expect(try store.titles() == [])
  }

  @Test(
    "no file of the database is replaced, by whatever name",
    arguments: [
      "", "-wal", "-shm", "-journal", "-ready", "-owner",
    ])
  func ownFiles(suffix: String) throws {
    let store = try ProgramStore()
    let link = store.store.directory.file("link")
    try #require(symlink(store.path, link) == 0)
    let hard = store.store.directory.file("hard")
    try #require(Glibc.link(store.path, hard) == 0)
    for file in [store.path + suffix] + (suffix.isEmpty ? [link, hard] : []) {
      expectFailure(try snapshot(store, file), code: 2, saying: "is a file of the database itself")
    }
    #expect(try HistorywatchProcess.run(["status", store.path]).code == 0)
  }

  @Test("without a database, a file or a directory for it the exit code says what is wrong")
  func missing() throws {
    let store = try ProgramStore()
    let directory = store.store.directory
    let words = ["snapshot", store.path, "--query", "SELECT 1"]
    expectFailure(try HistorywatchProcess.run(words), code: 2, saying: "snapshot needs a file")
    expectFailure(
      try snapshot(store, directory.file("no/facts.json")), code: 1, saying: "cannot be written")
    let place = try snapshot(store, directory.path)
    expectFailure(place, code: 1, saying: "cannot be written")
    #expect(place.errorLines.last == "hint: name a file in that directory")
    expectFailure(
      try HistorywatchProcess.run([
        "snapshot", directory.file("no.db"), "--query", "SELECT 1", "--output",
        directory.file("facts.json"),
      ]), code: 5)
    #expect(try !names(in: directory.path).contains { $0.hasPrefix("facts") || $0 == "no.db" })
  }
}

extension ProgramStore {
  /// Makes a plan of migrations beside the store.
  ///
  /// - Returns: The path of its directory.
  func plan(_ versions: [String]) throws -> String {
    let directory = store.directory.file("plan")
    try #require(mkdir(directory, 0o700) == 0)
    for (place, sql) in versions.enumerated() {
      try ProgramTests.write(sql + ";\n", to: "\(directory)/000\(place + 1)_step.sql")
    }
    return directory
  }
}

/// All that a file holds.
func content(of path: String) throws -> String {
  let file = try #require(fopen(path, "r"), "\(path)")
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4096)
  while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
  return String(decoding: bytes, as: UTF8.self)
}

/// Makes a file.
func write(_ text: String, to path: String) throws {
  let file = try #require(fopen(path, "w"), "\(path)")
  defer { fclose(file) }
  #expect(fputs(text, file) >= 0)
}

/// The names in a directory, sorted.
func names(in path: String) throws -> [String] {
  let directory = try #require(opendir(path))
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}
