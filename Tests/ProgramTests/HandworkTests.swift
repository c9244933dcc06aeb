import HistoryTestSupport
import Testing

@Suite("What people do by hand")
struct HandworkTests {
  @Test("a table that is missing, a view and a virtual table are refused whole: exit 2")
  func untrackable() throws {
    let store = try ProgramStore(isTracked: false)
    try WriterProcess(path: store.path).run(
      "CREATE VIEW open_tasks AS SELECT * FROM tasks WHERE NOT done;"
        + "CREATE VIRTUAL TABLE words USING fts5(word)")
    for table in ["nowhere", "open_tasks", "words", "words_content"] {
      let result = try HistorywatchProcess.run(["track", store.path, "tasks", table])
      expectFailure(result, code: 2, saying: table)
      expectFailure(try HistorywatchProcess.run(["status", store.path]), code: 5)
    }
  }

  @Test(
    "a table of the history that was dropped by hand is exit 5, and said as what it is",
    arguments: ["_history_change", "_history_store"])
  func dropped(table: String) throws {
    let store = try ProgramStore()
    try store.write("one")
    try WriterProcess(path: store.path).run("DROP TABLE \(table)")
    for command in [["stream", "--no-follow"], ["log"], ["status"]] {
      expectFailure(
        try HistorywatchProcess.run(command + [store.path]), code: 5, saying: "\(table) is missing")
    }
  }

  @Test("history dropped under a stream that follows ends it with exit 3")
  func droppedUnderStream() throws {
    let store = try ProgramStore()
    let stream = try HistorywatchProcess(["stream", store.path])
    try stream.lines(through: "hello")
    #expect(try HistorywatchProcess.run(["untrack", store.path, "--drop-history"]).code == 0)
    let lines = try stream.lines(through: "bye")
    #expect(lines.first?.field("reason") == "history-dropped")
    #expect(try stream.finish().code == 3)
  }

  @Test("an unknown layout is exit 5")
  func layout() throws {
    let store = try ProgramStore()
    let other = try WriterProcess(path: store.path)
    try other.run("UPDATE _history_store SET value = 999 WHERE key = 'layout'")
    let result = try HistorywatchProcess.run(["status", store.path])
    expectFailure(result, code: 5, saying: "layout 999")
  }

  @Test("a clock that was set back changes no order and loses nothing")
  func clock() throws {
    let store = try ProgramStore()
    try store.write("one")
    try store.write("two")
    let other = try WriterProcess(path: store.path)
    // As if the writers from here on had a clock that is a day behind.
    let last = try other.run("SELECT max(sequence) FROM _history_change")
    try store.write("three")
    try other.run("INSERT INTO tasks(title) VALUES ('four')")
    try other.run("UPDATE _history_change SET at = at - 1 WHERE sequence > \(last)")
    let token = try store.write("five")
    #expect(try store.titles() == ["one", "two", "three", "four", "five"])
    #expect(try store.titles(since: token) == [])
    let log = try HistorywatchProcess.run(["log", store.path, "--json"])
    #expect(log.lines.map { $0.field("title") } == ["five", "four", "three", "two", "one"])
    #expect(try HistorywatchProcess.run(["log", store.path]).output.contains("yesterday"))
  }

  @Test("triggers dropped by hand are said by check, and repaired")
  func triggers() throws {
    let store = try ProgramStore()
    let other = try WriterProcess(path: store.path)
    let trigger = try other.run(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'tasks' LIMIT 1")
    try other.run("DROP TRIGGER \"\(trigger)\"")
    let check = try HistorywatchProcess.run(["check", store.path])
    #expect(check.code == 1)
    #expect(check.output.contains("attention:"))
    #expect(try HistorywatchProcess.run(["check", store.path, "--repair"]).code == 0)
    #expect(try HistorywatchProcess.run(["check", store.path]).code == 0)
    #expect(try store.stream().lines.contains { $0.field("reason") == "capture-was-missing" })
  }
}
