import Glibc
import HistoryTestSupport
import SQLite
import Testing

/// `snapshot --follow`: the file is kept current, and a command runs once it is on the disk.
@Suite("snapshot --follow", .timeLimit(.minutes(1)))
struct SnapshotFollowTests {
  private static let query = "SELECT title FROM tasks ORDER BY id"
  /// Shows the file as it is when the command runs.
  private static let show = ["sh", "-c", "cat \"$HISTORYWATCH_SNAPSHOT\""]

  private func start(
    _ store: ProgramStore, _ options: String..., command: [String] = show
  ) throws -> HistorywatchProcess {
    let file = file(of: store)
    let process = try HistorywatchProcess(
      ["snapshot", store.path, "--query", Self.query, "--output", file, "--follow"]
        + (options.isEmpty ? ["--debounce", "1ms"] : options)
        + (command.isEmpty ? [] : ["--"] + command))
    #expect(try process.errorLine() == "historywatch: keeping \(file) current")
    return process
  }

  private func file(of store: ProgramStore) -> String { store.store.directory.file("facts.json") }

  private func finish(_ process: HistorywatchProcess, by signal: Int32 = SIGTERM) throws
    -> HistorywatchProcess.Result
  {
    process.signal(signal)
    let result = try process.finish()
    #expect(result.code == 128 + signal)
    return result
  }

  private func rows(_ titles: String...) -> String {
    #""rows":["# + titles.map { #"{"title":"\#($0)"}"# }.joined(separator: ",") + "]}"
  }

  /// Waits until the file has what is expected.
  private func wait(for ending: String, in store: ProgramStore) throws {
    let start = ContinuousClock.now
    while try !content(of: file(of: store)).hasSuffix(ending + "\n") {
      try #require(start.duration(to: .now) < .seconds(20))
      sched_yield()
    }
  }

  @Test("the command finds the new file, first at the start and then after each change")
  func following() throws {
    let store = try ProgramStore()
    let process = try start(store)
    #expect(try process.line().hasSuffix(rows()))
    for titles in [["a"], ["a", "b"]] {
      let token = try store.write(titles[titles.count - 1])
      let line = try process.line()
      #expect(line.field("token") == token)
      #expect(line.hasSuffix(titles.count == 1 ? rows("a") : rows("a", "b")))
    }
    let result = try finish(process)
    #expect(result.lines.count == 3)
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("rows that did not change are not written again")
  func unchanged() throws {
    let store = try ProgramStore()
    let process = try start(store)
    #expect(try process.line().hasSuffix(rows()))
    let connection = try store.store.connection()
    try connection.execute(
      "BEGIN; INSERT INTO tasks(id, title) VALUES (1, 'x'); DELETE FROM tasks; COMMIT")
    let token = try store.write("a")
    let line = try process.line()
    #expect(line.field("token") == token)
    try connection.execute("UPDATE tasks SET done = 1")
    try connection.execute("CREATE TABLE other(id INTEGER PRIMARY KEY)")
    try connection.execute(
      "BEGIN; UPDATE tasks SET title = 'b'; UPDATE tasks SET title = 'a'; COMMIT")
    try store.write("c")
    #expect(try process.line().hasSuffix(rows("a", "c")))
    #expect(try finish(process, by: SIGINT).lines.count == 3)
  }

  @Test("without a command it only keeps the file")
  func noCommand() throws {
    let store = try ProgramStore()
    let process = try start(store, command: [])
    try wait(for: rows(), in: store)
    try store.write("a")
    try wait(for: rows("a"), in: store)
    #expect(try finish(process).output == "")
    #expect(
      try names(in: store.store.directory.path).filter { $0.contains("facts") } == ["facts.json"])
  }

  @Test("the file is kept current during a run of the command, and one more run follows for all")
  func busy() throws {
    let store = try ProgramStore()
    let gate = store.store.directory.file("gate")
    try #require(mkfifo(gate, 0o600) == 0)
    let process = try start(
      store, command: ["sh", "-c", "cat \"$HISTORYWATCH_SNAPSHOT\"; read word < \(gate)"])
    #expect(try process.line().hasSuffix(rows()))
    try store.write("a")
    try wait(for: rows("a"), in: store)
    try store.write("b")
    try wait(for: rows("a", "b"), in: store)
    try write("go\n", to: gate)
    #expect(try process.line().hasSuffix(rows("a", "b")))
    try write("go\n", to: gate)
    #expect(try finish(process).lines.count == 2)
  }

  @Test("a burst becomes one file once it is quiet, or has lasted for --max-wait")
  func debounce() throws {
    let store = try ProgramStore()
    let process = try start(store, "--debounce", "1h", "--max-wait", "1ms")
    #expect(try process.line().hasSuffix(rows()))
    try store.write("a")
    #expect(try process.line().hasSuffix(rows("a")))
    _ = try finish(process)
    let patient = try start(store, "--debounce", "1h", "--max-wait", "1h")
    #expect(try patient.line().hasSuffix(rows("a")))
    try store.write("b")
    #expect(try finish(patient).lines.count == 1)
    #expect(try content(of: file(of: store)).hasSuffix(rows("a") + "\n"))
  }

  @Test("a command that fails is said to, and tried again")
  func failingCommand() throws {
    let store = try ProgramStore()
    let flag = store.store.directory.file("flag")
    let process = try start(
      store,
      command: [
        "sh", "-c", "echo $HISTORYWATCH_REASON $HISTORYWATCH_UNTIL; mkdir \(flag) && exit 3",
      ])
    let first = try process.line()
    #expect(first.hasPrefix("changed hw1."))
    #expect(
      try process.errorLine() == "historywatch: sh exited with status 3; trying again in 1 s")
    #expect(try process.line() == "retry" + first.dropFirst("changed".count))
    _ = try finish(process)
  }

  @Test("a file that cannot be written for a while is said to be, and written later")
  func failingFile() throws {
    let store = try ProgramStore()
    let (directory, moved) = (store.store.directory.file("out"), store.store.directory.file("gone"))
    try #require(mkdir(directory, 0o700) == 0)
    let process = try HistorywatchProcess(
      [
        "snapshot", store.path, "--query", Self.query, "--output", directory + "/facts.json",
        "--follow", "--debounce", "1ms", "--",
      ] + Self.show)
    _ = try process.errorLine()
    #expect(try process.line().hasSuffix(rows()))
    try #require(rename(directory, moved) == 0)
    try store.write("a")
    let note = try process.errorLine()
    #expect(note.contains("cannot be written"))
    #expect(note.hasSuffix("; trying again in 1 s"))
    try #require(rename(moved, directory) == 0)
    #expect(try process.line().hasSuffix(rows("a")))
    _ = try finish(process)
  }

  @Test("the command that is on its way is told to end, and may tidy up")
  func ending() throws {
    let store = try ProgramStore()
    let process = try start(
      store, command: ["sh", "-c", "trap 'echo tidied; exit' TERM; echo ready; sleep 600 & wait"])
    #expect(try process.line() == "ready")
    #expect(try finish(process).output == "ready\ntidied\n")
  }

  @Test("a store that its owner makes ready gets its schema into the file, whatever its rows")
  func migrated() throws {
    let store = try ProgramStore()
    let process = try start(store)
    #expect(try process.line().hasPrefix(#"{"format":1,"schema":null,"#))
    let plan = try store.plan(["SELECT 1"])
    #expect(try HistorywatchProcess.run(["migrate", store.path, "--plan", plan]).code == 0)
    let line = try process.line()
    #expect(line.hasPrefix(#"{"format":1,"schema":1,"#))
    #expect(line.hasSuffix(rows()))
    _ = try finish(process)
  }

  @Test("a query that fails after a change of the schema is told, and goes on when it can again")
  func schemaChange() throws {
    let store = try ProgramStore()
    let process = try start(store)
    _ = try process.line()
    let connection = try store.store.connection()
    try connection.execute("ALTER TABLE tasks RENAME COLUMN title TO name")
    #expect(try process.errorLine().contains("the query failed"))
    #expect(try content(of: file(of: store)).hasSuffix(rows() + "\n"))
    try connection.execute(
      "ALTER TABLE tasks RENAME COLUMN name TO title; INSERT INTO tasks(title) VALUES ('c')")
    #expect(try process.line().hasSuffix(rows("c")))
    _ = try finish(process)
  }

  @Test("what cannot work ends at once, with the exit code that says whether to try again")
  func exitCodes() throws {
    let store = try ProgramStore()
    let untracked = try ProgramStore(isTracked: false)
    let directory = try TemporaryDirectory()
    func run(
      _ path: String, _ more: [String] = [], query: String = Self.query, to name: String = "f"
    ) throws -> HistorywatchProcess.Result {
      try HistorywatchProcess.run(
        ["snapshot", path, "--query", query, "--output", directory.file(name), "--follow"] + more)
    }
    expectFailure(try run(untracked.path), code: 5, saying: "not tracked")
    expectFailure(try run(store.path + "x"), code: 5, saying: "there is no database")
    expectFailure(try run(store.path, query: "SELECT 1; SELECT 2"), code: 2)
    expectFailure(try run(store.path, query: "SELECT * FROM sqlite_schema"), code: 5)
    expectFailure(try run(store.path, to: "no/f"), code: 1, saying: "cannot be written")
    expectFailure(
      try run(store.path, ["--", "no-such-program"]), code: 2, saying: "cannot be started")
    #expect(try names(in: directory.path) == [])
  }

  @Test("another store moved over the file ends it with exit 3, and the file stays")
  func replaced() throws {
    let (store, other) = (try ProgramStore(), try ProgramStore(journal: .delete))
    try store.write("a")
    let process = try start(store)
    #expect(try process.line().hasSuffix(rows("a")))
    #expect(rename(other.path, store.path) == 0)
    #expect(try process.finish().code == 3)
    #expect(try content(of: file(of: store)).hasSuffix(rows("a") + "\n"))
  }
}
