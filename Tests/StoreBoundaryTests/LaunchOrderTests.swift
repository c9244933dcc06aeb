import EventLoop
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// An app that owns a store and a widget that shows it, started in any order.
@Suite("Launch order", .timeLimit(.minutes(1)))
struct LaunchOrderTests {
  /// A store at a version, made by the app.
  private func store(at version: Int, isTracked: Bool = false) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY, name TEXT, done INT DEFAULT 0)")
    if isTracked { try store.track() }
    #expect(try BoundaryProcess.own(store.path, version).code == 0)
    return store
  }

  private func expectNotReady(
    _ result: HistorywatchProcess.Result, _ reason: UnavailableReason, saying hint: String
  ) {
    #expect(result.code == 1)
    #expect(result.lines.count == 1)
    #expect(result.output.hasPrefix("failed \(reason): "), "\(result.output)")
    #expect(result.output.contains(hint), "\(result.output)")
  }

  @Test("widget first after an update: it asks for the app, and does not open the store")
  func widgetFirst() throws {
    let store = try store(at: 2)
    let before = try store.directory.contents()
    expectNotReady(
      try BoundaryProcess.show(store.path, 3), .olderSchema, saying: "open the app once")
    #expect(try HistorywatchProcess.run(["ready", store.path, "--schema", "3"]).code == 5)
    #expect(try store.directory.contents() == before)
    // What it has not opened it cannot find damaged.
    try DurableFile(path: store.path).replace(with: Array("not a database".utf8))
    expectNotReady(
      try BoundaryProcess.show(store.path, 3), .olderSchema, saying: "open the app once")
    try FileNames.remove(store.neighbours.marker)
    let names = try store.directory.names()
    expectNotReady(try BoundaryProcess.show(store.path, 2), .notReady, saying: "open the app once")
    #expect(try store.directory.names() == names)
  }

  @Test("the app migrates while the widget waits, which then sees old rows and new defaults")
  func appMigrates() throws {
    let store = try store(at: 2)
    let app = try BoundaryProcess.start("owner", store.path, "3", "ask", "cleared")
    try app.event("cleared")
    for version in [2, 3] {
      expectNotReady(
        try BoundaryProcess.show(store.path, version), .migrating,
        saying: "app (process \(app.processID))")
    }
    app.write("\n")
    #expect(try app.finish().code == 0)
    let shown = try BoundaryProcess.show(store.path, 3)
    #expect(
      shown.lines == [
        "row \([StoredValue.integer(1), "BREAD", "someday"])",
        "row \([StoredValue.integer(2), "UNTITLED", "someday"])",
        "row \([StoredValue.integer(3), "MILK", "someday"])", "ready",
      ])
  }

  @Test("container creation fails: the marker stays absent, until the app is mended")
  func creationFails() throws {
    let store = try store(at: 1)
    let failed = try BoundaryProcess.own(store.path, 3, "fail")
    #expect(failed.code == 1 && failed.output.contains("failed statementFailed"))
    #expect(!FileNames.isTaken(store.neighbours.marker))
    for version in 1...3 {
      expectNotReady(
        try BoundaryProcess.show(store.path, version), .notReady, saying: "open the app once")
    }
    // The version before is there whole.
    let reference = try self.store(at: 2)
    #expect(try StoreContent(store.path) == StoreContent(reference.path))
    #expect(try BoundaryProcess.own(store.path, 3).code == 0)
    #expect(try BoundaryProcess.show(store.path, 3).code == 0)
  }

  @Test("an intent and the app write at once, and both are kept")
  func bothWrite() throws {
    let store = try store(at: 3, isTracked: true)
    let app = try WriterProcess(path: store.path)
    try app.run("BEGIN IMMEDIATE; UPDATE tasks SET done = 1 WHERE id = 1")
    let intent = try HistorywatchProcess([
      "write", store.path, "--author", "intent", "UPDATE tasks SET title = 'oat milk' WHERE id = 3",
    ])
    try app.run("INSERT INTO tasks(title) VALUES ('eggs'); COMMIT")
    #expect(try intent.finish().code == 0)
    #expect(
      try store.connection().rows("SELECT title, done FROM tasks ORDER BY id") == [
        ["BREAD", 1], ["UNTITLED", 0], ["oat milk", 0], ["eggs", 0],
      ])
    let authors = try store.recorded().transactions.suffix(2).map(\.record.author)
    #expect(authors == [nil, "intent"])
    #expect(store.refusal(schema: 3) == nil)
  }

  @Test("a missing place is an error, and no private one is made instead")
  func missingPlace() throws {
    let home = try TemporaryDirectory()
    let environment: [String: String?] = [
      "HOME": home.path, "XDG_DATA_HOME": home.path, "HISTORYWATCH_GROUPS": home.path,
      "TMPDIR": home.path,
    ]
    let place = try TemporaryDirectory()
    let path = place.file("none/store.sqlite")
    let app = try BoundaryProcess.own(path, 3, environment: environment)
    expectNotReady(app, .missing, saying: "no other place was tried")
    let widget = try BoundaryProcess.show(path, 3, environment: environment)
    expectNotReady(widget, .missing, saying: "no other place was tried")
    for words in [["ready", path, "--schema", "3"], ["migrate", path, "--plan", home.path]] {
      #expect(try HistorywatchProcess.run(words, environment: environment).code != 0)
    }
    #expect(try home.names() == [])
    #expect(try place.names() == [])
  }

  @Test("an older binary meets a newer marker, and leaves everything as it is")
  func olderBinary() throws {
    let store = try store(at: 4)
    let before = try store.directory.contents()
    expectNotReady(
      try BoundaryProcess.show(store.path, 3), .newerSchema, saying: "update this program")
    expectNotReady(
      try BoundaryProcess.own(store.path, 3), .newerSchema, saying: "update this program")
    let after = try store.directory.contents()
    for (name, bytes) in before where !name.hasSuffix("-owner") { #expect(after[name] == bytes) }
    #expect(try BoundaryProcess.show(store.path, 4).code == 0)
  }

  @Test("of owners that race exactly one wins, and the others are told who")
  func race() throws {
    let store = try TemporaryStore()
    let owners = try (1...4).map { _ in
      try BoundaryProcess.start("owner", store.path, "4", "hold")
    }
    var winners: [HistorywatchProcess] = []
    var losers: [String] = []
    for owner in owners {
      var line = try owner.line()
      while line.hasPrefix("event ") { line = try owner.line() }
      if line == "done" { winners.append(owner) } else { losers.append(line) }
    }
    let winner = try #require(winners.first)
    #expect(winners.count == 1)
    #expect(losers.count == 3 && losers.allSatisfy { $0.hasPrefix("failed locked: ") })
    // He has said who he is by now, and stays while the store is his.
    let late = try BoundaryProcess.own(store.path, 4)
    expectNotReady(late, .locked, saying: "app (process \(winner.processID))")
    #expect(try BoundaryProcess.show(store.path, 4).code == 0)
    winner.closeInput()
    #expect(try winner.finish().code == 0)
    #expect(try BoundaryProcess.own(store.path, 4).code == 0)
  }

  @Test("a reader holds a read transaction through a migration, and sees the old rows in it")
  func reader() throws {
    let store = try store(at: 2)
    let reader = try WriterProcess(path: store.path)
    try reader.run("BEGIN; SELECT count(*) FROM tasks")
    #expect(try BoundaryProcess.own(store.path, 4).code == 0)
    #expect(try reader.run("SELECT name FROM tasks WHERE id = 1") == "bread")
    #expect(try reader.run("PRAGMA user_version") == "2")
    #expect(try reader.run("COMMIT; SELECT title FROM tasks WHERE id = 1") == "BREAD")
    #expect(try reader.run("SELECT count(*) FROM tasks") == "4")
  }

  @Test("with a rollback journal a reader stops a migration, which loses nothing")
  func readerOfRollbackJournal() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)", journal: .delete)
    let before = try StoreContent(store.path)
    let reader = try WriterProcess(path: store.path)
    try reader.run("BEGIN; SELECT count(*) FROM t")
    let error = #expect(throws: HistoryError.self) { try store.migrate(.sql(1, "DELETE FROM t")) }
    #expect(error?.unavailableReason == .locked, "\(error as Any)")
    #expect(store.refusal(schema: 1) == .notReady)
    #expect(try reader.run("SELECT count(*) FROM t; COMMIT") == "1")
    #expect(try StoreContent(store.path) == before)
    try store.migrate(.sql(1, "DELETE FROM t"))
    #expect(store.refusal(schema: 1) == nil)
  }

  @Test("a writer without a busy timeout is told SQLITE_BUSY during a stage, and loses nothing")
  func writer() throws {
    let store = try store(at: 2)
    let writer = try WriterProcess(path: store.path, busyTimeout: 0)
    try writer.run("INSERT INTO tasks(name) VALUES ('before')")
    let app = try BoundaryProcess.start("owner", store.path, "3", "ask", "committing")
    try app.event("committing")
    let error = #expect(throws: WriterProcess.Failure.self) {
      try writer.run("INSERT INTO tasks(name) VALUES ('lost?')")
    }
    #expect(error?.description.hasPrefix("SQLITE_BUSY") == true, "\(error as Any)")
    app.write("\n")
    #expect(try app.finish().code == 0)
    try writer.run("INSERT INTO tasks(title) VALUES ('after')")
    #expect(
      try store.connection().rows("SELECT title FROM tasks ORDER BY id") == [
        ["BREAD"], ["UNTITLED"], ["MILK"], ["BEFORE"], ["after"],
      ])
  }

  @Test(
    "a stream goes on through a migration: schema lines, what migrate did, and what comes after")
  func stream() throws {
    let store = try store(at: 1, isTracked: true)
    let stream = try HistorywatchProcess(["stream", store.path])
    try stream.lines(through: "hello")
    #expect(try BoundaryProcess.own(store.path, 4).code == 0)
    let written = try HistorywatchProcess.run([
      "write", store.path, "--author", "app", "INSERT INTO tasks(title) VALUES ('afterwards')",
    ])
    #expect(written.code == 0)
    var lines: [String] = []
    while lines.last?.contains("afterwards") != true { lines.append(try stream.line()) }
    lines += try stream.lines(through: "commit")
    let kinds = lines.map { String($0.dropFirst(9).prefix { $0 != "\"" }) }
    #expect(Set(kinds).isSubset(of: ["schema", "gap", "change", "commit"]), "\(kinds)")
    for text in ["columns-added", "columns-renamed", "\"migrated\"", "\"author\":\"migrate\""] {
      #expect(lines.contains { $0.contains(text) }, "no \(text) in \(lines)")
    }
    stream.signal(15)
    let end = try stream.finish()
    #expect(end.code == 143)
    #expect(end.lines.last?.contains("\"kind\":\"bye\"") == true)
    // Who comes late is shown the same.
    let again = try HistorywatchProcess.run([
      "stream", store.path, "--since", "oldest", "--no-follow",
    ])
    #expect(
      again.lines.filter { kinds.contains(String($0.dropFirst(9).prefix { $0 != "\"" })) }.suffix(
        lines.count) == lines[...])
  }
}
