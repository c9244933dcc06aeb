import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Side by side", .timeLimit(.minutes(1)))
struct SideBySideTests {
  private let directory: TemporaryDirectory
  private let path: String
  private var options: MigrationOptions {
    var options = MigrationOptions(writer: "app")
    options.mode = .sideBySide
    options.busyTimeout = 0
    return options
  }
  private let plan: MigrationPlan

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("app.db")
    let connection = try Connection(creating: path)
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; CREATE TABLE tasks(id INTEGER PRIMARY KEY, title);
      INSERT INTO tasks(title) VALUES ('a'), ('b')
      """)
    plan = try MigrationPlan([
      SchemaVersion(1, "due", .lightweight("ALTER TABLE tasks ADD COLUMN due DEFAULT 'today'")),
      SchemaVersion(2, "lists", .lightweight("CREATE TABLE lists(id INTEGER PRIMARY KEY)")),
    ])
  }

  private func rows(_ path: String, _ sql: String) throws -> [[StoredValue]] {
    try Connection(path: path).rows(sql)
  }

  @Test("a new file takes the store's place, and the old one is kept whole")
  func swaps() throws {
    let old = try #require(DatabaseFile(path: path))
    let ownership = try StoreOwnership.take(path, plan: plan, options: options)
    let new = try #require(DatabaseFile(path: path))
    #expect(old != new)
    let copy = try #require(ownership.outcome.copy)
    #expect(try #require(DatabaseFile(path: copy)) == old)
    #expect(try rows(copy, "SELECT * FROM tasks") == [[1, "a"], [2, "b"]])
    #expect(try rows(path, "SELECT * FROM tasks") == [[1, "a", "today"], [2, "b", "today"]])
    #expect(try rows(path, "PRAGMA journal_mode") == [["wal"]])
    #expect(try StoreReadiness.check(path: path, schema: 2).writer == "app")
    let names = try FileNames.list(directory.path).filter {
      $0.contains("next") || $0.contains("unfinished")
    }
    #expect(names == [])
  }

  @Test("while somebody else has the store open nothing is done")
  func openElsewhere() throws {
    let other = try Connection(path: path)
    _ = try other.row("SELECT 1 FROM tasks")
    let before = try FileNames.list(directory.path)
    let error = #expect(throws: HistoryError.self) {
      try StoreOwnership.take(path, plan: plan, options: options)
    }
    #expect(error?.unavailableReason == .locked)
    #expect(try FileNames.list(directory.path).filter { !$0.hasSuffix("-owner") } == before)
    #expect(try rows(path, "PRAGMA user_version") == [[0]])
    try other.close()
    _ = try StoreOwnership.take(path, plan: plan, options: options)
  }

  @Test("a store without a write-ahead log is refused, and left as it is")
  func rollbackJournal() throws {
    try Connection(path: path).execute("PRAGMA journal_mode = DELETE")
    let error = #expect(throws: HistoryError.self) {
      try StoreOwnership.take(path, plan: plan, options: options)
    }
    #expect(error?.code == .usage)
    #expect(try rows(path, "SELECT * FROM tasks") == [[1, "a"], [2, "b"]])
  }

  @Test("a stage that fails leaves the store as it was, and nothing beside it but the lock")
  func failing() throws {
    let broken = try MigrationPlan(
      plan.versions + [SchemaVersion(3, "broken", .lightweight("INSERT INTO nothing VALUES (1)"))])
    let error = #expect(throws: HistoryError.self) {
      try StoreOwnership.take(path, plan: broken, options: options)
    }
    #expect(error?.message.contains("as it was") == true)
    #expect(try rows(path, "PRAGMA user_version") == [[0]])
    #expect(try rows(path, "PRAGMA journal_mode") == [["wal"]])
    #expect(
      Set(try FileNames.list(directory.path)).isSubset(of: [
        "app.db", "app.db-wal", "app.db-shm", "app.db-owner",
      ]))
  }

  @Test("whoever opened the old file and waited for it is refused when he writes")
  func waited() throws {
    var late: Connection?
    let path = path
    _ = try StoreOwnership.take(
      path, plan: plan, options: options,
      telling: { event in
        // The moment before the switch: the old file is open, and locked.
        if case .verifying = event { late = try? Connection(path: path) }
      })
    let connection = try #require(late)
    #expect(throws: SQLiteError.self) {
      try connection.execute("INSERT INTO tasks(title) VALUES ('c')")
    }
    #expect(try rows(path, "SELECT count(*) FROM tasks") == [[2]])
  }

  @Test(
    "positions of the history are good in the new file too, and the rows that changed are in it")
  func history() throws {
    let token: HistoryToken
    do {
      let store = try TrackedStore(path: path, access: .readWrite)
      try Tracker(store).track(Tracker.Request())
      token = try store.state().head
    }
    let changing = try MigrationPlan([
      SchemaVersion(1, "done", .lightweight("UPDATE tasks SET title = 'c' WHERE id = 2"))
    ])
    _ = try StoreOwnership.take(path, plan: changing, options: options)
    let store = try TrackedStore(path: path, access: .readOnly)
    let page = try store.fetchHistory(HistoryDescriptor(after: .after(token)))
    #expect(page.transactions.map(\.author) == ["migrate"])
    #expect(page.transactions.first?.changes.count == 1)
  }

  @Test("rowids that stand in for keys are those of before, and nothing else is said of them")
  func rowIDs() throws {
    try Connection(path: path).execute("CREATE TABLE notes(text); INSERT INTO notes VALUES ('a')")
    try Tracker(TrackedStore(path: path, access: .readWrite)).track(Tracker.Request())
    let versions = [
      SchemaVersion(1, "one", .lightweight("UPDATE notes SET text = 'b'")),
      SchemaVersion(2, "two", .lightweight("UPDATE notes SET text = 'c'")),
    ]
    for count in 1...2 {
      let plan = try MigrationPlan(Array(versions.prefix(count)))
      let outcome = try StoreOwnership.take(path, plan: plan, options: options).outcome
      #expect(outcome.notices == [])
    }
  }

  /// A migration that cannot change the marker, from one of its steps on.
  private func failAtMarker(
    _ mode: MigrationOptions.Mode, at step: MigrationEvent?
  ) throws -> HistoryError? {
    var options = options
    options.mode = mode
    let marker = StoreNeighbours(of: path).marker
    let block = {
      try? FileNames.makeDirectory(marker)
      try? DurableFile(path: marker + "/in the way").replace(with: [])
    }
    if step == nil { block() }
    return #expect(throws: HistoryError.self) {
      try StoreOwnership.take(
        path, plan: plan, options: options, telling: { if $0 == step { block() } })
    }
  }

  @Test("where the marker cannot be changed, the error says where the copy is")
  func marker() throws {
    let cleared = try failAtMarker(.inPlace, at: nil)
    let copy = try #require(try FileNames.list(directory.path).first { $0.hasSuffix(".copy") })
    #expect(cleared?.hint?.contains(copy) == true, "\(cleared as Any)")
    #expect(cleared?.message.contains("as it was") == true)
    #expect(try rows(path, "PRAGMA user_version") == [[0]])
  }

  @Test(
    "and so does one after the last stage",
    arguments: [MigrationOptions.Mode.inPlace, .sideBySide])
  func markerAtLast(mode: MigrationOptions.Mode) throws {
    let error = try failAtMarker(mode, at: .finishing)
    let copy = try #require(try FileNames.list(directory.path).first { $0.hasSuffix(".copy") })
    #expect(error?.hint?.contains(copy) == true, "\(error as Any)")
    #expect(error?.message.contains("at version 0002") == true, "\(error as Any)")
    #expect(try rows(path, "PRAGMA user_version") == [[2]])
  }

  @Test("beside the store it is as it was, and nothing is left")
  func markerBeside() throws {
    let error = try failAtMarker(.sideBySide, at: nil)
    #expect(error?.message.contains("as it was") == true, "\(error as Any)")
    #expect(try rows(path, "PRAGMA user_version") == [[0]])
    #expect(try FileNames.list(directory.path).allSatisfy { !$0.contains("next") })
  }

  @Test(
    "what a crash left beside the store goes with the next owner, whichever way it goes",
    arguments: [MigrationOptions.Mode.inPlace, .sideBySide], [true, false])
  func leftovers(mode: MigrationOptions.Mode, isPending: Bool) throws {
    if !isPending { _ = try StoreOwnership.take(path, plan: plan, options: options) }
    // A swap had begun: the old file was put into another mode.
    _ = try rows(path, "PRAGMA journal_mode = DELETE")
    for end in ["", "-wal", ".unfinished", ".unfinished-journal"] {
      try DurableFile(path: path + "-next" + end).replace(with: Array("left".utf8))
    }
    var options = options
    options.mode = mode
    _ = try StoreOwnership.take(path, plan: plan, options: options)
    #expect(try FileNames.list(directory.path).filter { $0.contains("next") } == [])
    #expect(try rows(path, "PRAGMA journal_mode") == [["wal"]])
    #expect(try rows(path, "PRAGMA user_version") == [[2]])
  }
}
