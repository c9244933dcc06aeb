import Glibc
import HistoryTestSupport
import Testing

@Suite("Running a command on changes")
struct RunTests {
  /// What a run of the command says: why, and how many transactions.
  private static let report = ["sh", "-c", "echo $HISTORYWATCH_REASON $HISTORYWATCH_TRANSACTIONS"]

  /// Starts `run`, and waits until it watches.
  private func start(
    _ store: ProgramStore, _ options: String..., command: [String] = report
  ) throws -> HistorywatchProcess {
    let process = try HistorywatchProcess(
      ["run", store.path, "--debounce", "1ms"] + options + ["--"] + command)
    #expect(try process.errorLine() == "historywatch: watching \(store.path)")
    return process
  }

  /// Waits until every run was confirmed.
  private func settle(_ state: String) throws {
    let start = ContinuousClock.now
    while try content(state).contains("\ntries ") {
      try #require(start.duration(to: .now) < .seconds(20))
      sched_yield()
    }
  }

  /// Waits for as long as another process takes to begin at the oldest position and to run its command.
  private func waitForAnother(_ store: ProgramStore, _ expected: String) throws {
    let other = try start(
      store, "--since", "oldest", "--state", store.store.directory.file("other.state"))
    #expect(try other.line() == expected)
    _ = try finish(other)
  }

  private func content(_ path: String) throws -> String {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  private func finish(_ process: HistorywatchProcess, by signal: Int32 = SIGTERM) throws
    -> HistorywatchProcess.Result
  {
    process.signal(signal)
    let result = try process.finish()
    #expect(result.code == 128 + signal)
    return result
  }

  @Test("it runs for what matches, ends by a signal, and goes on where it was")
  func resuming() throws {
    let store = try ProgramStore()
    let first = try start(store, "--not-author", "robot")
    try store.write("one", author: "robot")
    try store.write("two")
    #expect(try first.line() == "changed 1")
    try settle(store.path + "-run.state")
    _ = try finish(first, by: SIGINT)
    try store.write("three")
    try store.write("four", author: "robot")
    let second = try start(store, "--not-author", "robot")
    #expect(try second.line() == "changed 1")
    try settle(store.path + "-run.state")
    let result = try finish(second)
    #expect(result.output == "changed 1\n")
    #expect(result.errors == "historywatch: watching \(store.path)\n")
  }

  @Test("a run that fails says how, and when it is tried again, and then it is")
  func retrying() throws {
    let store = try ProgramStore()
    let flag = store.store.directory.file("flag")
    let process = try start(
      store, command: ["sh", "-c", "echo $HISTORYWATCH_REASON; mkdir \(flag) && exit 3"])
    try store.write("one")
    #expect(try process.line() == "changed")
    #expect(
      try process.errorLine() == "historywatch: sh exited with status 3; trying again in 1 s")
    #expect(try process.line() == "retry")
    _ = try finish(process)
  }

  @Test("the command of a run that is on its way is told to end, and may tidy up")
  func ending() throws {
    let store = try ProgramStore()
    let process = try start(
      store, command: ["sh", "-c", "trap 'echo tidied; exit' TERM; echo ready; sleep 600 & wait"])
    try store.write("one")
    #expect(try process.line() == "ready")
    #expect(try finish(process).output == "ready\ntidied\n")
    let again = try start(store)
    #expect(try again.line() == "retry 1")
    _ = try finish(again)
  }

  @Test("with restart a run that is on its way makes room for the next one")
  func restarting() throws {
    let store = try ProgramStore()
    let process = try start(
      store, "--on-busy", "restart",
      command: ["sh", "-c", "echo $HISTORYWATCH_TRANSACTIONS; exec sleep 600"])
    for number in 1...3 {
      try store.write("task")
      #expect(try process.line() == "\(number)")
    }
    _ = try finish(process)
  }

  @Test("it writes under the author that it does not run for")
  func ignoringOwn() throws {
    let store = try ProgramStore()
    let process = try start(
      store, "--ignore-own", "robot",
      command: [
        try HistorywatchProcess.path(), "write", store.path,
        "INSERT INTO tasks(title) VALUES ('made')",
      ])
    try store.write("one")
    let token = try process.line()
    #expect(
      try store.stream().lines.last { $0.hasPrefix("{\"kind\":\"commit\"") }?
        .field("token") == token)
    #expect(try store.stream().output.contains("\"author\":\"robot\""))
    try store.write("two")
    #expect(try process.line() != token)
    #expect(try finish(process).lines.count == 2)
  }

  @Test("a run over the budget waits, and what was used is known to the next process")
  func budget() throws {
    let store = try ProgramStore()
    let first = try start(store, "--budget", "1/day")
    try store.write("one")
    #expect(try first.line() == "changed 1")
    try settle(store.path + "-run.state")
    _ = try finish(first)
    try store.write("two")
    let second = try start(store, "--budget", "1/day")
    try waitForAnother(store, "changed 2")
    #expect(try finish(second).output == "")
    let third = try start(store, "--budget", "2/day")
    #expect(try third.line() == "changed 1")
    _ = try finish(third)
  }

  @Test("without a state it begins at --since, which a state wins over")
  func since() throws {
    let store = try ProgramStore()
    try store.write("one")
    for expected in ["changed 1\n", ""] {
      let process = try start(store, "--since", "oldest")
      if expected.isEmpty {
        try waitForAnother(store, "changed 1")
      } else {
        #expect(try process.line() == "changed 1")
      }
      try settle(store.path + "-run.state")
      #expect(try finish(process).output == expected)
    }
  }

  @Test("a position that was trimmed away is a run with reason reset, and says so")
  func reset() throws {
    let store = try ProgramStore()
    _ = try finish(try start(store))
    for title in ["one", "two"] { try store.write(title) }
    #expect(try HistorywatchProcess.run(["trim", store.path, "--keep-last", "0"]).code == 0)
    let process = try HistorywatchProcess(["run", store.path, "--"] + Self.report)
    #expect(
      try process.errorLine()
        == "historywatch: the position has expired: what followed it was trimmed; "
        + "running the command with reason reset")
    #expect(try process.line() == "reset 0")
    _ = try finish(process)
  }

  @Test("what cannot work ends at once, with the exit code that says whether to try again")
  func exitCodes() throws {
    let store = try ProgramStore()
    let untracked = try ProgramStore(isTracked: false)
    let other = try ProgramStore()
    let state = store.store.directory.file("state")
    func run(_ path: String, _ more: String...) throws -> HistorywatchProcess.Result {
      try HistorywatchProcess.run(["run", path] + more)
    }
    expectFailure(try run(store.path), code: 2, saying: "the COMMAND is missing")
    expectFailure(
      try run(store.path, "--", "no-such-program"), code: 2,
      saying: "the command no-such-program cannot be started")
    expectFailure(
      try run(store.path, "--", "/etc/passwd"), code: 2, saying: "permission denied")
    expectFailure(try run(store.path + "x", "--", "true"), code: 5, saying: "there is no database")
    expectFailure(try run(untracked.path, "--", "true"), code: 5, saying: "not tracked")
    let first = try start(store, "--state", state)
    expectFailure(
      try run(store.path, "--state", state, "--", "true"), code: 1, saying: "is in use")
    _ = try finish(first)
    expectFailure(
      try run(other.path, "--state", state, "--", "true"), code: 4, saying: "another store")
    try #require(truncate(state, 20) == 0)
    expectFailure(try run(store.path, "--state", state, "--", "true"), code: 4, saying: "damaged")
    expectFailure(
      try run(store.path, "--since", "hw1.x", "--", "true"), code: 4, saying: "")
  }

  @Test("a program that goes away ends it with exit 2 at the next run, and nothing is lost")
  func vanished() throws {
    let store = try ProgramStore()
    let program = store.store.directory.file("program")
    try #require(symlink("/bin/true", program) == 0)
    let process = try start(store, command: [program])
    unlink(program)
    try store.write("one")
    let result = try process.finish()
    #expect(result.code == 2)
    #expect(result.errors.contains("the command \(program) cannot be started"))
    let next = try start(store)
    #expect(try next.line() == "retry 1")
    _ = try finish(next)
  }

  @Test("a history that is dropped under it ends it with exit 5")
  func dropped() throws {
    let store = try ProgramStore()
    try store.write("one")
    let process = try start(store)
    let drop = ["untrack", store.path, "--drop-history"]
    #expect(try HistorywatchProcess.run(drop).code == 0)
    let result = try process.finish()
    #expect(result.code == 5)
    #expect(result.errors.contains("is not tracked"))
  }

  @Test("a store that is moved away or locked for long is waited for, and that is said")
  func waiting() throws {
    let store = try ProgramStore(journal: .delete)
    let process = try start(store)
    let other = try WriterProcess(path: store.path)
    try other.run("BEGIN EXCLUSIVE; INSERT INTO tasks(title) VALUES ('one')")
    #expect(try process.errorLine().hasSuffix("is locked by another process; waiting"))
    try other.run("COMMIT")
    #expect(try process.line() == "changed 1")
    #expect(try process.errorLine().hasSuffix("can be read again"))
    try #require(rename(store.path, store.path + "-away") == 0)
    #expect(try process.errorLine().hasSuffix("is gone; waiting for it to come back"))
    try #require(rename(store.path + "-away", store.path) == 0)
    #expect(try process.errorLine().hasSuffix("can be read again"))
    try store.write("two")
    #expect(try process.line() == "changed 1")
    _ = try finish(process)
  }
}
