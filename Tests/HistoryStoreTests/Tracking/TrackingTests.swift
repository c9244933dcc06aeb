import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("Tracking")
struct TrackingTests {
  private static let schema = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, x);
    CREATE TABLE b(id INTEGER PRIMARY KEY, x);
    CREATE VIEW v AS SELECT * FROM a;
    CREATE VIRTUAL TABLE f USING fts5(x);
    """

  private func schema(_ store: TemporaryStore) throws -> [[StoredValue]] {
    try store.connection().rows(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
  }

  @Test("without names every ordinary table is tracked, and nothing else")
  func all() throws {
    let store = try TemporaryStore(sql: Self.schema)
    let outcome = try store.track()
    #expect(outcome.begun == ["a", "b"])
    #expect(outcome.renewed == [])
    #expect(outcome.notices == [])
    #expect(outcome.tracked.map(\.table) == ["a", "b"])
    #expect(outcome.tracked.map(\.capture) == [.changes, .changes])
    #expect(outcome.tracked.map(\.keepsTimes) == [true, true])
  }

  @Test("to repeat it changes nothing")
  func repeated() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track()
    let state = try store.opened().state()
    let before = try schema(store)
    let outcome = try store.track()
    #expect(outcome.begun == [] && outcome.renewed == [] && outcome.notices == [])
    #expect(try schema(store) == before)
    #expect(try store.opened().state() == state)
  }

  @Test("tables are named in any letter case, twice if need be, and added one by one")
  func named() throws {
    let store = try TemporaryStore(sql: Self.schema)
    #expect(try store.track("A", "a").begun == ["a"])
    #expect(try store.track("B").begun == ["b"])
    #expect(try store.opened().tables(isThorough: true).map(\.table) == ["a", "b"])
  }

  @Test("tables can be left out")
  func except() throws {
    let store = try TemporaryStore(sql: Self.schema)
    let outcome = try Tracker(store.opened()).track(Tracker.Request(except: ["A", "v", "f"]))
    #expect(outcome.begun == ["b"])
    #expect(throws: HistoryError.self) {
      try Tracker(store.opened()).track(Tracker.Request(except: ["nothing"]))
    }
  }

  @Test(
    "what is no ordinary table is refused, and nothing is tracked",
    arguments: [
      "missing", "v", "f", "f_data", "f_content", "sqlite_schema", "history_author",
      "_history_change", "_HISTORY_STORE", "",
    ])
  func refused(name: String) throws {
    for isTracked in [false, true] {
      let store = try TemporaryStore(sql: Self.schema)
      if isTracked { try store.track("b") }
      let before = try schema(store)
      let error = #expect(throws: HistoryError.self) { try store.track("a", name) }
      #expect(error?.code == .untrackable)
      #expect(error?.hint != nil)
      #expect(try schema(store) == before)
    }
  }

  @Test("a table that only has a hidden rowid is refused when named, and left out otherwise")
  func hiddenRowID() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE a(x); CREATE TABLE h(rowid, _rowid_, oid)")
    let error = #expect(throws: HistoryError.self) { try store.track("h") }
    #expect(error?.code == .untrackable)
    #expect(try store.track().begun == ["a"])
  }

  @Test("a database with nothing to track is not made a store")
  func nothing() throws {
    for sql in ["", "CREATE VIEW v AS SELECT 1", "CREATE VIRTUAL TABLE f USING fts5(x)"] {
      let store = try TemporaryStore(sql: sql)
      let before = try schema(store)
      let error = #expect(throws: HistoryError.self) { try store.track() }
      #expect(error?.code == .storeUnavailable)
      #expect(try schema(store) == before)
    }
  }

  @Test("capture is switched for the tables named, and kept where nothing is said")
  func switched() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track(capture: .keys)
    let outcome = try store.track("a", capture: .full)
    #expect(outcome.renewed == ["a"])
    #expect(outcome.notices == [])
    #expect(try store.track().renewed == [])
    #expect(try store.opened().tables(isThorough: true).map(\.capture) == [.keys, .full])
    try store.connection().execute("INSERT INTO a VALUES (1, 2); INSERT INTO b VALUES (1, 2)")
    try store.track("a", omitsTimes: true)
    #expect(try store.opened().tables(isThorough: true).map(\.keepsTimes) == [true, false])
    try store.connection().execute("UPDATE a SET x = 3")
    // What was captured before is read as it was written.
    #expect(
      try store.recorded().lines == [
        "insert a[1] id=1 x=2", "insert b[1]", "update a[1] id=1 x=2>3",
      ])
  }

  @Test("untracked tables are captured no more, and their history stays", arguments: [["A"], []])
  func untracked(names: [String]) throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track("a", "b")
    let connection = try store.connection()
    try connection.execute("INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1)")
    #expect(try Untracker(store.opened()).untrack(names) == (names.isEmpty ? ["a", "b"] : ["a"]))
    try connection.execute("INSERT INTO a VALUES (2, 2); INSERT INTO b VALUES (2, 2)")
    #expect(
      try store.recorded().lines
        == ["insert a[1] id=1 x=1", "insert b[1] id=1 x=1"]
        + (names.isEmpty ? [] : ["insert b[2] id=2 x=2"]))
    #expect(
      try store.opened().tables(isThorough: true).map(\.table) == (names.isEmpty ? [] : ["b"]))
    let error = #expect(throws: HistoryError.self) { try Untracker(store.opened()).untrack(["a"]) }
    #expect(error?.code == .untrackable)
    // Tracked again, what was missed is told.
    #expect(
      try store.track("a").notices == [CaptureNotice(table: "a", .gap(.captureWasMissing))])
  }

  @Test("dropping the history leaves the schema as if nothing had been tracked")
  func dropped() throws {
    let store = try TemporaryStore(
      sql: Self.schema + "CREATE TRIGGER z AFTER INSERT ON a BEGIN DELETE FROM b; END")
    let before = try schema(store)
    try store.track(capture: .full)
    try store.connection().execute("INSERT INTO a VALUES (1, 1); REPLACE INTO a VALUES (1, 2)")
    _ = try Consumers(store.opened()).create("c", at: .now)
    try Untracker(store.opened()).dropHistory()
    #expect(try schema(store) == before)
    #expect(throws: HistoryError.self) { try store.opened().state() }
    let error = #expect(throws: HistoryError.self) { try Untracker(store.opened()).dropHistory() }
    #expect(error?.code == .notTracked)
  }

  @Test(
    "what was damaged by hand can be cleaned up",
    arguments: [
      "TABLE _history_change", "TABLE _history_stash", "TABLE _history_store",
      "TABLE _history_table", "TABLE _history_column", "VIEW history_author",
    ])
  func damaged(object: String) throws {
    let store = try TemporaryStore(sql: Self.schema)
    let before = try schema(store)
    try store.track()
    try store.connection().execute("DROP \(object)")
    try Untracker(store.opened()).dropHistory()
    #expect(try schema(store) == before)
    try store.connection().execute("INSERT INTO a VALUES (1, 1)")
  }

  @Test("untrack works when the history table was dropped by hand")
  func historyDroppedByHand() throws {
    let store = try TemporaryStore(sql: Self.schema)
    try store.track()
    try store.connection().execute("DROP TABLE _history_change")
    #expect(throws: SQLiteError.self) {
      try store.connection().execute("INSERT INTO a VALUES (1, 1)")
    }
    #expect(try Untracker(store.opened()).untrack([]) == ["a", "b"])
    try store.connection().execute("INSERT INTO a VALUES (1, 1)")
  }

  @Test(
    "the fault of SQLite that only a write-ahead log meets is told of one only",
    arguments: [TemporaryStore.Journal.wal, .delete])
  func libraryFault(journal: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(sql: Self.schema, journal: journal)
    try store.track()
    let faults = try store.opened().check().filter { $0.sentence.contains("rare fault") }
    let isAffected = journal == .wal && SQLiteLibrary.versionNumber <= 3_051_002
    #expect(faults.count == (isAffected ? 1 : 0))
  }

  @Test("an unknown layout is refused by everything but the end of it")
  func unknownLayout() throws {
    for layout in ["2", "0", "'1'", "NULL"] {
      let store = try TemporaryStore(sql: Self.schema)
      try store.track()
      try store.connection().execute(
        "UPDATE _history_store SET value = \(layout) WHERE key = 'layout'")
      for body in [
        { try store.track() }, { _ = try store.opened().state() }, { try store.recorded() },
        { _ = try Untracker(store.opened()).untrack([]) }, { _ = try store.opened().check() },
        { _ = try Consumers(store.opened()).list() },
        { _ = try StoreWriter(path: store.path) },
      ] as [() throws -> Any] {
        #expect(#expect(throws: HistoryError.self) { _ = try body() }?.code == .unknownLayout)
      }
    }
  }

  @Test("tracking never changes the journal mode", arguments: TemporaryStore.Journal.allCases)
  func journal(journal: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(sql: Self.schema, journal: journal)
    try store.track()
    let mode = try Connection(path: store.path).row("PRAGMA journal_mode")?[0].text
    #expect((mode == "wal") == (journal == .wal))
  }

  @Test("tracking fails whole when it fails: locked by a writer")
  func locked() throws {
    let store = try TemporaryStore(sql: Self.schema)
    let writer = try store.connection()
    try writer.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: HistoryError.self) { try store.track() }
    #expect(error?.code == .temporary)
    try writer.execute("COMMIT")
    #expect(try store.track().begun == ["a", "b"])
  }
}
