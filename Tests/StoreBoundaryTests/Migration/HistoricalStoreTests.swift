import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// Stores as every version of an application has left them, taken to the newest one.
@Suite("Stores of every age", .timeLimit(.minutes(1)))
struct HistoricalStoreTests {
  /// How a store was filled, and whether it is tracked.
  struct Filling: Sendable, CustomTestStringConvertible {
    let name: String
    /// The rows of the first version: a key, a name and how many; the latter two may be missing.
    let rows: @Sendable () -> [[StoredValue]]
    var testDescription: String { name }
  }

  static let fillings = [
    Filling(name: "empty") { [] },
    Filling(name: "one row") { [[1, "bread", 2]] },
    Filling(name: "missing values") {
      [[1, nil, nil], [2, "", 0], [3, nil, -1], [-4, "x", nil]]
    },
    Filling(name: "odd values") {
      [
        [.integer(.max), "it''s; -- \"quoted\"", .integer(.min)], [2, "ünï\u{0}code", 1.5],
        [3, .blob([0, 255]), "text"], [4, 17, .blob([])],
      ]
    },
    Filling(name: "large") {
      (1...20_000).map {
        [.integer($0), $0 % 7 == 0 ? nil : .text("name \($0)"), .integer($0 % 13)]
      }
    },
  ]

  /// Each version changes the tables in another way; rows must survive all of them.
  static let plan: [SchemaVersion] = [
    .sql(1, "CREATE TABLE IF NOT EXISTS items(id INTEGER PRIMARY KEY, name, amount)"),
    .sql(
      2, "ALTER TABLE items ADD COLUMN state TEXT DEFAULT 'open'; CREATE INDEX s ON items(state)"),
    .sql(3, "ALTER TABLE items RENAME COLUMN name TO title"),
    SchemaVersion(
      4, "defaults",
      .custom(
        "defaults",
        didMigrate: { context in
          try context.forEachBatch(of: "SELECT id, amount FROM items WHERE amount IS NULL") {
            for row in $0 {
              try context.run("UPDATE items SET amount = -99 WHERE id = ?", row[0])
            }
          }
        })),
    .sql(
      5,
      """
      CREATE TABLE new_items(id INTEGER PRIMARY KEY, title, amount NOT NULL, state TEXT);
      INSERT INTO new_items SELECT id, title, amount, state FROM items;
      DROP TABLE items; ALTER TABLE new_items RENAME TO items;
      CREATE INDEX s ON items(state)
      """),
    .sql(
      6, "ALTER TABLE items RENAME TO things; DROP INDEX s; ALTER TABLE things DROP COLUMN state"),
  ]

  /// What a row of the first version has become in the last.
  private func expected(_ row: [StoredValue]) -> [StoredValue] {
    [row[0], row[1], row[2] == .null ? -99 : row[2]]
  }

  private func store(_ filling: Filling, isTracked: Bool) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: "CREATE TABLE items(id INTEGER PRIMARY KEY, name, amount)")
    let connection = try store.connection()
    try connection.transaction(.immediate) {
      let statement = try connection.prepare("INSERT INTO items VALUES (?, ?, ?)")
      for row in filling.rows() {
        try statement.bind(row)
        try statement.run()
      }
    }
    if isTracked { try store.track() }
    return store
  }

  @Test(
    "a store of any version becomes one of the newest, value by value", arguments: 0...6, fillings)
  func everyAge(age: Int, filling: Filling) throws {
    let store = try store(filling, isTracked: age % 2 == 1)
    if age > 0 { try store.migrate(Self.plan.filter { $0.number <= age }) }
    let outcome = try store.migrate(Self.plan)
    #expect(outcome.applied.count == 6 - age)
    let rows = try store.connection().rows("SELECT * FROM things ORDER BY id")
    let wanted = filling.rows().map(expected).sorted {
      ($0[0].integer ?? 0) < ($1[0].integer ?? 0)
    }
    #expect(rows == wanted)
    #expect(store.refusal(schema: 6) == nil)
    if age % 2 == 1 { #expect(try store.opened().check().filter(\.needsAttention) == []) }
  }

  @Test("100,000 rows, tracked: each is as it was, and the history says what was done to which")
  func large() throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE items(id INTEGER PRIMARY KEY, name, amount);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO items SELECT i, 'name ' || i, iif(i % 10 = 0, NULL, i) FROM n
        """)
    try store.track()
    let head = try store.opened().state().head
    let outcome = try store.migrate(Self.plan)
    #expect(outcome.rows.map { [$0.before, $0.after] } == [[100_000, nil], [nil, 100_000]])
    let wrong = try store.value(
      """
      SELECT count(*) FROM things
      WHERE title <> 'name ' || id OR amount <> iif(id % 10 = 0, -99, id) OR id NOT BETWEEN 1 AND 100000
      """)
    #expect(wrong == 0)
    #expect(try store.value("SELECT count(DISTINCT id) FROM things") == 100_000)
    let changes = try store.recorded(after: head).transactions.flatMap(\.changes)
    #expect(changes.count == 10_000)
    #expect(changes.allSatisfy { $0.operation == .update && $0.after?.first?.value == -99 })
  }

  @Test("duplicates under a new UNIQUE constraint: the stage fails, and names no value")
  func duplicates() throws {
    for sql in [
      "CREATE UNIQUE INDEX u ON items(name)",
      """
      CREATE TABLE new_items(id INTEGER PRIMARY KEY, name UNIQUE, amount);
      INSERT INTO new_items SELECT * FROM items; DROP TABLE items;
      ALTER TABLE new_items RENAME TO items
      """,
    ] {
      let rows = Filling(name: "") {
        [[1, "secret", 1], [2, "secret", 2], [3, nil, 3], [4, nil, 4]]
      }
      let store = try store(rows, isTracked: true)
      try store.migrate(.sql(1, "SELECT 1"))
      let before = try StoreContent(store.path)
      let head = try store.opened().state().head
      let error = #expect(throws: HistoryError.self) {
        try store.migrate(.sql(1, "SELECT 1"), .sql(2, sql, name: "unique"))
      }
      #expect(error?.code == .statementFailed)
      #expect(
        error?.message.contains("UNIQUE") == true && "\(error as Any)".contains("secret") == false)
      #expect(try StoreContent(store.path) == before)
      #expect(try store.opened().state().head == head)
      #expect(store.refusal(schema: 1) == .notReady)
      // Mended as people mend it: the stage makes them unique first.
      try store.migrate(
        .sql(1, "SELECT 1"),
        .sql(2, "UPDATE items SET name = name || id WHERE name NOTNULL; \(sql)", name: "unique"))
      #expect(
        try store.connection().rows("SELECT name FROM items ORDER BY id")
          == [["secret1"], ["secret2"], [nil], [nil]])
      #expect(store.refusal(schema: 2) == nil)
    }
  }

  @Test(
    "a stage that fails in the middle of a plan keeps those before it, value by value",
    arguments: 1...6)
  func middle(failing: Int) throws {
    let store = try store(Self.fillings[2], isTracked: failing % 2 == 0)
    var plan = Self.plan
    let bad = "\(plan[failing - 1].stage.sql ?? "SELECT 1"); DELETE FROM no_such_table"
    plan[failing - 1] = .sql(failing, bad, name: "bad")
    let error = #expect(throws: HistoryError.self) { try store.migrate(plan) }
    let copy = try #require(store.files(endingWith: ".copy").first)
    #expect(error?.hint?.contains(copy) == true)
    let reference = try self.store(Self.fillings[2], isTracked: false)
    #expect(try StoreContent(store.directory.file(copy)) == StoreContent(reference.path))
    if failing > 1 { try reference.migrate(Self.plan.filter { $0.number < failing }) }
    #expect(try StoreContent(store.path) == StoreContent(reference.path))
    #expect((0...6).allSatisfy { store.refusal(schema: $0) == .notReady })
    try store.migrate(Self.plan)
    #expect(
      try store.connection().rows("SELECT * FROM things ORDER BY id")
        == [[-4, "x", -99], [1, nil, -99], [2, "", 0], [3, nil, -1]])
  }
}
