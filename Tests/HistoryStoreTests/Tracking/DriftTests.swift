import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// What a changed schema does to capture, what readers are told, and what renewal makes of it.
@Suite("Drift")
struct DriftTests {
  /// A schema, what the application does to it, and what is to be told.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    var schema = "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, u INT UNIQUE)"
    var capture = Capture.changes
    let change: String
    let notices: [CaptureNotice]
    /// Whether anything is amiss at all.
    var isDrift = true
    /// The table's name afterwards; nil when it is gone.
    var table: String? = "t"
    /// An insert afterwards, and what is captured of it once renewed.
    var insert = ""
    var line: String?
    var testDescription: String { name }
  }

  static let scenarios = [
    Scenario(
      name: "ADD COLUMN", change: "ALTER TABLE t ADD COLUMN b",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))],
      insert: "INSERT INTO t VALUES (1, 'x', 2, 3)", line: "insert t[1] id=1 a='x' u=2 b=3"),
    Scenario(
      name: "ADD COLUMN with a default",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (9, 1)",
      change: "ALTER TABLE t ADD COLUMN b TEXT DEFAULT 5; ALTER TABLE t ADD COLUMN c DEFAULT 'x'",
      notices: [.init(table: "t", .schema(.columnsAdded(["b", "c"])))],
      insert: "INSERT INTO t(id) VALUES (1)", line: "insert t[1] id=1 a=NULL b='5' c='x'"),
    Scenario(
      name: "ADD COLUMN that was written to",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (9, 1)",
      change: "ALTER TABLE t ADD COLUMN b; UPDATE t SET b = 1",
      notices: [
        .init(table: "t", .schema(.columnsAdded(["b"]))),
        .init(table: "t", .gap(.columnsWereNotCaptured)),
      ]),
    Scenario(
      name: "ADD COLUMN under keys", capture: .keys, change: "ALTER TABLE t ADD COLUMN b",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))],
      insert: "INSERT INTO t VALUES (1, 'x', 2, 3)", line: "insert t[1]"),
    Scenario(
      name: "RENAME COLUMN", change: "ALTER TABLE t RENAME COLUMN a TO b",
      notices: [.init(table: "t", .schema(.columnsRenamed(["b"])))],
      insert: "INSERT INTO t VALUES (1, 'x', 2)", line: "insert t[1] id=1 b='x' u=2"),
    Scenario(
      name: "RENAME COLUMN of a UNIQUE column", change: "ALTER TABLE t RENAME COLUMN u TO w",
      notices: [.init(table: "t", .schema(.columnsRenamed(["w"])))],
      insert: "INSERT INTO t VALUES (1, 'x', 2)", line: "insert t[1] id=1 a='x' w=2"),
    Scenario(
      name: "RENAME COLUMN of the key", change: "ALTER TABLE t RENAME COLUMN id TO key",
      notices: [.init(table: "t", .schema(.columnsRenamed(["key"])))],
      insert: "INSERT INTO t VALUES (1, 'x', 2)", line: "insert t[1] key=1 a='x' u=2"),
    Scenario(
      name: "RENAME TABLE", change: "ALTER TABLE t RENAME TO s",
      notices: [.init(table: "t", .schema(.tableRenamed("s")))], table: "s",
      insert: "INSERT INTO s VALUES (1, 'x', 2)", line: "insert s[1] id=1 a='x' u=2"),
    Scenario(
      name: "RENAME TABLE to a name that wants quotes",
      change: "ALTER TABLE t RENAME TO \"a \"\"b\"",
      notices: [.init(table: "t", .schema(.tableRenamed("a \"b")))], table: "a \"b"),
    Scenario(
      name: "DROP TABLE", change: "DROP TABLE t",
      notices: [.init(table: "t", .schema(.tableDropped))], table: nil),
    Scenario(
      name: "DROP COLUMN under keys", capture: .keys, change: "ALTER TABLE t DROP COLUMN a",
      notices: [.init(table: "t", .schema(.columnsRemoved(["a"])))],
      insert: "INSERT INTO t VALUES (1, 2)", line: "insert t[1]"),
    Scenario(
      name: "a rebuild by twelve steps",
      change: """
        CREATE TABLE new_t(id INTEGER PRIMARY KEY, a TEXT, u INT UNIQUE); INSERT INTO new_t SELECT * FROM t;
        DROP TABLE t; ALTER TABLE new_t RENAME TO t
        """, notices: [.init(table: "t", .gap(.captureWasMissing))],
      insert: "REPLACE INTO t VALUES (1, 'x', 2)", line: "insert t[1] id=1 a='x' u=2"),
    Scenario(
      name: "a rebuild without a column",
      change: """
        CREATE TABLE new_t(id INTEGER PRIMARY KEY, u INT UNIQUE); INSERT INTO new_t SELECT id, u FROM t;
        DROP TABLE t; ALTER TABLE new_t RENAME TO t
        """,
      notices: [
        .init(table: "t", .schema(.columnsRemoved(["a"]))),
        .init(table: "t", .gap(.captureWasMissing)),
      ]),
    Scenario(
      name: "a new UNIQUE index", change: "CREATE UNIQUE INDEX i ON t(a)",
      notices: [.init(table: "t", .gap(.captureWasMissing))],
      insert: "INSERT INTO t VALUES (1, 'x', 2)", line: "insert t[1] id=1 a='x' u=2"),
    Scenario(
      name: "a UNIQUE index dropped",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE UNIQUE INDEX i ON t(a)",
      change: "DROP INDEX i", notices: []),
    Scenario(
      name: "a trigger of ours dropped", change: "DROP TRIGGER _history_1_update",
      notices: [.init(table: "t", .gap(.captureWasMissing))]),
    Scenario(
      name: "a trigger of the application made later",
      change: "CREATE TRIGGER z AFTER INSERT ON t BEGIN SELECT 1; END", notices: []),
    Scenario(
      name: "VACUUM of a table keyed by its rowid", schema: "CREATE TABLE t(a, b)",
      change: "VACUUM", notices: [.init(table: "t", .gap(.rowIDsMayHaveChanged))]),
    Scenario(
      name: "VACUUM of a table with a key", change: "VACUUM", notices: [], isDrift: false),
    Scenario(
      name: "VACUUM after another table was made", schema: "CREATE TABLE t(a, b)",
      change: "CREATE TABLE other(x); DROP TABLE other; VACUUM",
      notices: [.init(table: "t", .gap(.rowIDsMayHaveChanged))]),
    Scenario(
      name: "VACUUM that moved the table",
      schema: "CREATE TABLE first(x); CREATE TABLE t(a, b)", change: "DROP TABLE first; VACUUM",
      notices: [.init(table: "t", .gap(.rowIDsMayHaveChanged))]),
    Scenario(
      name: "another table", schema: "CREATE TABLE t(a, b)",
      change: "CREATE TABLE other(x); CREATE INDEX i ON other(x)", notices: [], isDrift: false),
    Scenario(
      name: "an ordinary index", change: "CREATE INDEX i ON t(a); ANALYZE", notices: [],
      isDrift: false),
  ]

  @Test("what is amiss is found and told, and once renewed nothing is", arguments: scenarios)
  func found(scenario: Scenario) throws {
    let store = try TemporaryStore(sql: scenario.schema)
    try store.track("t", capture: scenario.capture)
    let connection = try store.connection()
    try connection.execute(scenario.change)
    let found = try store.opened().tables(isThorough: true)
    #expect(found.count == 1)
    #expect(found.first?.drift.isEmpty == !scenario.isDrift, "\(found)")
    let isUsed = CaptureNotice(table: "t", .gap(.columnsWereNotCaptured))
    #expect(found.first?.notices == scenario.notices.filter { $0 != isUsed })
    let outcome = try Tracker(store.opened()).renew()
    #expect(outcome.notices == scenario.notices)
    #expect(outcome.renewed == (scenario.isDrift ? [scenario.table ?? "t"] : []))
    // The notices stand in the history, each with a position of its own.
    let recorder = try store.recorded()
    #expect(recorder.notices == scenario.notices)
    #expect(Set(recorder.events.map(\.token)).count == recorder.events.count)
    let after = try store.opened().tables(isThorough: true)
    #expect(after.map(\.table) == (scenario.table.map { [$0] } ?? []))
    #expect(after.allSatisfy { $0.drift.isEmpty }, "\(after)")
    #expect(try Tracker(store.opened()).renew().renewed == [])
    let head = try store.opened().state().head
    try connection.execute(scenario.insert)
    if let line = scenario.line {
      #expect(try store.recorded(after: head).lines.last == line)
    }
  }

  @Test("capture goes on under drift, as far as it can", arguments: scenarios)
  func goesOn(scenario: Scenario) throws {
    guard scenario.line != nil else { return }
    let store = try TemporaryStore(sql: scenario.schema)
    try store.track("t", capture: scenario.capture)
    let connection = try store.connection()
    try connection.execute(scenario.change)
    try connection.execute(scenario.insert)
    let lines = try store.recorded().lines
    let isMissing = scenario.change.contains("DROP TABLE")
    #expect(lines.count == (isMissing ? 0 : 1), "\(lines)")
    #expect(isMissing || lines.first?.hasPrefix("insert t[1]") == true)
  }

  @Test("ending the capture of another table hides nothing", arguments: scenarios)
  func besideUntracked(scenario: Scenario) throws {
    let store = try TemporaryStore(
      sql: scenario.schema + "; CREATE TABLE beside(id INTEGER PRIMARY KEY)")
    try store.track("t", "beside", capture: scenario.capture)
    let connection = try store.connection()
    try connection.execute(scenario.change)
    #expect(try Untracker(store.opened()).untrack(["beside"]) == ["beside"])
    #expect(try store.recorded().notices == scenario.notices)
    #expect(try store.opened().tables(isThorough: false) == [])
    let after = try store.opened().tables(isThorough: true)
    #expect(after.map(\.table) == (scenario.table.map { [$0] } ?? []))
    #expect(after.allSatisfy { $0.drift.isEmpty }, "\(after)")
  }

  @Test("what cannot be captured any more stands in nobody's way to end another table's capture")
  func besideUncapturable() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE beside(id INTEGER PRIMARY KEY)")
    try store.track()
    try store.connection().execute("ALTER TABLE t ADD COLUMN b; DROP TABLE _history_stash")
    try store.connection().execute("DROP TABLE _history_change")
    #expect(try Untracker(store.opened()).untrack(["beside"]) == ["beside"])
    let triggers = try store.connection().rows(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'beside'")
    #expect(triggers.isEmpty)
  }

  @Test("DROP COLUMN of a captured column is refused by SQLite, and goes after untrack")
  func dropColumn() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try store.track()
    let connection = try store.connection()
    #expect(throws: SQLiteError.self) { try connection.execute("ALTER TABLE t DROP COLUMN a") }
    #expect(try store.opened().tables(isThorough: true).allSatisfy { $0.drift.isEmpty })
    _ = try Untracker(store.opened()).untrack(["t"])
    try connection.execute("ALTER TABLE t DROP COLUMN a")
    #expect(try store.track("t").begun == ["t"])
    try connection.execute("INSERT INTO t VALUES (1, 2)")
    #expect(try store.recorded().lines == ["insert t[1] id=1 b=2"])
  }

  @Test("nothing is looked at while the schema's cookie stands still")
  func cheap() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
    try store.track()
    let tracked = try store.opened()
    #expect(try tracked.tables(isThorough: false) == [])
    #expect(try tracked.tables(isThorough: true).count == 1)
    let version = try tracked.schemaVersion()
    try store.connection().execute("ALTER TABLE t ADD COLUMN b")
    #expect(try tracked.schemaVersion() != version)
    #expect(try tracked.tables(isThorough: false).first?.drift.isEmpty == false)
    _ = try Tracker(store.opened()).renew()
    #expect(try tracked.tables(isThorough: false) == [])
  }

  @Test("an application's trigger made later is overtaken again by renewal")
  func overtaken() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)")
    try store.track()
    let connection = try store.connection()
    try connection.execute(
      "CREATE TRIGGER z AFTER INSERT ON t BEGIN UPDATE t SET a = 'z' WHERE id = NEW.id; END")
    try connection.execute("INSERT INTO t VALUES (1, 'x')")
    #expect(try store.recorded().lines.first == "update t[1] a='x'>'z'")
    _ = try Tracker(store.opened()).renew()
    let head = try store.opened().state().head
    try connection.execute("INSERT INTO t VALUES (2, 'x')")
    #expect(
      try store.recorded(after: head).lines == ["insert t[2] id=2 a='x'", "update t[2] a='x'>'z'"])
  }
}
