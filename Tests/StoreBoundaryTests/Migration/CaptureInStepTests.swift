import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// A table with a key, a text and something unique.
private let plain = """
  CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, u INT UNIQUE);
  INSERT INTO t VALUES (1, 'one', 10), (2, NULL, 20), (3, 'three', NULL)
  """

/// Whether the history goes on through a migration: nothing lost, nothing torn, and readers told.
@Suite("Capture in step with a migration")
struct CaptureInStepTests {
  /// A schema, a stage, and what readers are told of it.
  struct Scenario: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: String
    let stage: String
    let notices: [CaptureNotice]
    /// Which captured column is called what afterwards, by the new name.
    let renames: [String: String]
    /// What rows that are there get in added columns.
    let defaults: [String: StoredValue]
    /// How many changes are captured under full capture; nil for any.
    let count: Int?
    var testDescription: String { name }

    init(
      name: String, schema: String = plain, stage: String, notices: [CaptureNotice] = [],
      renames: [String: String] = [:], defaults: [String: StoredValue] = [:], count: Int? = nil
    ) {
      self.name = name
      self.schema = schema
      self.stage = stage
      self.notices = notices
      self.renames = renames
      self.defaults = defaults
      self.count = count
    }
  }

  /// How tables are captured.
  struct Manner: Sendable, CustomTestStringConvertible {
    let capture: Capture
    var omitsTimes = false
    var journal = TemporaryStore.Journal.wal
    var testDescription: String { "\(capture)\(omitsTimes ? ", no times" : ""), \(journal)" }
  }

  static let manners = [
    Manner(capture: .full), Manner(capture: .changes, omitsTimes: true, journal: .delete),
    Manner(capture: .keys),
  ]

  static let columns: [Scenario] = [
    Scenario(name: "nothing", stage: "SELECT 1; -- nothing", count: 0),
    Scenario(
      name: "rows of all kinds",
      stage: """
        INSERT INTO t VALUES (4, 'four', 40); UPDATE t SET a = 'x' WHERE id < 3;
        UPDATE t SET id = 9 WHERE id = 3; DELETE FROM t WHERE id = 1; REPLACE INTO t VALUES (5, 'f', 40);
        INSERT INTO t VALUES (2, 'y', 50) ON CONFLICT(id) DO UPDATE SET a = excluded.a
        """),
    Scenario(
      name: "ADD COLUMN", stage: "ALTER TABLE t ADD COLUMN b",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))], defaults: ["b": nil], count: 0),
    Scenario(
      name: "ADD COLUMN and fill it",
      stage:
        "ALTER TABLE t ADD COLUMN b DEFAULT 5; UPDATE t SET b = id WHERE id > 1; INSERT INTO t VALUES (4, 'x', 1, 2)",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))], defaults: ["b": 5], count: 3),
    Scenario(
      name: "rows before and after ADD COLUMN",
      stage: """
        UPDATE t SET a = 'before'; ALTER TABLE t ADD COLUMN b; UPDATE t SET b = 1, a = 'after';
        ALTER TABLE t ADD COLUMN c DEFAULT 'c'; DELETE FROM t WHERE id = 2
        """,
      notices: [
        .init(table: "t", .schema(.columnsAdded(["b"]))),
        .init(table: "t", .schema(.columnsAdded(["c"]))),
      ], defaults: ["b": nil, "c": "c"], count: 7),
    Scenario(
      name: "DROP COLUMN",
      stage: "UPDATE t SET a = 'x'; ALTER TABLE t DROP COLUMN a; UPDATE t SET u = id",
      notices: [.init(table: "t", .schema(.columnsRemoved(["a"])))], count: 6),
    Scenario(
      name: "DROP COLUMN with quotes, a schema and comments",
      stage: "/* a */ ALTER -- b\n TABLE \"main\" . [T] DROP \"a\"; DELETE FROM t WHERE id = 1",
      notices: [.init(table: "t", .schema(.columnsRemoved(["a"])))], count: 1),
    Scenario(
      name: "DROP COLUMN twice and ADD the name again",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c); INSERT INTO t VALUES (1, 2, 3, 4)",
      stage:
        "ALTER TABLE t DROP a; ALTER TABLE t DROP b; ALTER TABLE t ADD a DEFAULT 7; UPDATE t SET c = a",
      notices: [
        .init(table: "t", .schema(.columnsRemoved(["a"]))),
        .init(table: "t", .schema(.columnsRemoved(["b"]))),
        .init(table: "t", .schema(.columnsAdded(["a"]))),
      ], defaults: ["a": 7], count: 1),
    Scenario(
      name: "RENAME COLUMN",
      stage: "ALTER TABLE t RENAME COLUMN a TO title; UPDATE t SET title = 'x'",
      notices: [.init(table: "t", .schema(.columnsRenamed(["title"])))], renames: ["title": "a"],
      count: 3),
    Scenario(
      name: "RENAME COLUMN of the key",
      stage: "ALTER TABLE t RENAME id TO key; DELETE FROM t WHERE key = 2",
      notices: [.init(table: "t", .schema(.columnsRenamed(["key"])))], renames: ["key": "id"],
      count: 1),
    Scenario(
      name: "a UNIQUE index added, and rows replaced through it",
      stage: "CREATE UNIQUE INDEX i ON t(a); REPLACE INTO t VALUES (7, 'one', 70)",
      notices: [.init(table: "t", .gap(.captureWasMissing))]),
    Scenario(
      name: "an index and a view",
      stage:
        "CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t; ANALYZE; UPDATE t SET a = 1",
      count: 3),
    Scenario(
      name: "a trigger of the application",
      stage: """
        CREATE TRIGGER z AFTER INSERT ON t BEGIN UPDATE t SET a = 'z' WHERE id = NEW.id; END;
        INSERT INTO t VALUES (4, 'x', 1)
        """, count: 2),
  ]

  static let tables: [Scenario] = [
    Scenario(
      name: "RENAME TABLE", stage: "ALTER TABLE t RENAME TO s; UPDATE s SET a = 'x'",
      notices: [.init(table: "t", .schema(.tableRenamed("s")))], count: 3),
    Scenario(
      name: "tables swapped",
      schema: plain
        + "; CREATE TABLE s(id INTEGER PRIMARY KEY, a TEXT, u INT); INSERT INTO s VALUES (1, 's', 2)",
      stage:
        "ALTER TABLE t RENAME TO x; ALTER TABLE s RENAME TO t; ALTER TABLE x RENAME TO s; UPDATE t SET a = 't'",
      notices: [
        .init(table: "t", .schema(.tableRenamed("x"))),
        .init(table: "s", .schema(.tableRenamed("t"))),
        .init(table: "x", .schema(.tableRenamed("s"))),
      ], count: 1),
    Scenario(
      name: "renamed away and made anew, with legacy_alter_table",
      stage: """
        PRAGMA legacy_alter_table = ON; ALTER TABLE t RENAME TO old_t;
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, u INT); INSERT INTO t SELECT * FROM old_t;
        DROP TABLE old_t; PRAGMA legacy_alter_table = OFF; UPDATE t SET a = 'after'
        """),
    Scenario(
      name: "two tables rebuilt that refer to each other",
      schema: plain
        + "; CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES t(id)); INSERT INTO c VALUES (1, 1)",
      stage: """
        CREATE TABLE new_c(id INTEGER PRIMARY KEY, p INT NOT NULL REFERENCES t(id));
        INSERT INTO new_c SELECT * FROM c; CREATE TABLE new_t(id INTEGER PRIMARY KEY, a);
        INSERT INTO new_t SELECT id, a FROM t; DROP TABLE c; DROP TABLE t;
        ALTER TABLE new_t RENAME TO t; ALTER TABLE new_c RENAME TO c; UPDATE t SET a = 1
        """),
    Scenario(
      name: "DROP TABLE", stage: "DELETE FROM t WHERE id = 1; DROP TABLE t",
      notices: [.init(table: "t", .schema(.tableDropped))], count: 1),
    Scenario(
      name: "a rebuild by twelve steps",
      stage: """
        PRAGMA foreign_keys = OFF;
        CREATE TABLE new_t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, u INT UNIQUE);
        INSERT INTO new_t SELECT id, ifnull(a, ''), u FROM t; DROP TABLE t;
        ALTER TABLE new_t RENAME TO t; PRAGMA foreign_key_check; UPDATE t SET a = 'after' WHERE id = 2
        """, notices: [.init(table: "t", .gap(.migrated))]),
    Scenario(
      name: "a rebuild by twelve steps, rows in between",
      stage: """
        UPDATE t SET a = 'before'; CREATE TABLE new_t AS SELECT * FROM t; UPDATE t SET a = 'lost';
        DROP TABLE t; UPDATE new_t SET a = 'uncaptured'; ALTER TABLE new_t RENAME TO t;
        INSERT INTO t VALUES (8, 'after', 80)
        """, notices: [.init(table: "t", .gap(.migrated))]),
    Scenario(
      name: "renamed away and made anew",
      stage: """
        UPDATE t SET a = 'before'; ALTER TABLE t RENAME TO old_t;
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t SELECT id, a FROM old_t;
        DROP TABLE old_t; INSERT INTO t VALUES (8, 'after')
        """,
      notices: [
        .init(table: "t", .schema(.tableRenamed("old_t"))),
        .init(table: "old_t", .schema(.tableDropped)), .init(table: "t", .gap(.migrated)),
      ]),
    Scenario(
      name: "dropped and made anew",
      stage: "DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, b); INSERT INTO t VALUES (1, 2)"),
    Scenario(
      name: "WITHOUT ROWID with a key of two columns",
      schema: """
        CREATE TABLE t(a TEXT, b INT, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
        INSERT INTO t VALUES ('x', 1, 2), ('x', 2, NULL), ('y', 1, 'z')
        """,
      stage: """
        UPDATE t SET c = 3 WHERE b = 2; ALTER TABLE t ADD COLUMN d DEFAULT 1.5; UPDATE t SET b = 9 WHERE a = 'y';
        ALTER TABLE t DROP COLUMN c; DELETE FROM t WHERE a = 'x' AND b = 1
        """,
      notices: [
        .init(table: "t", .schema(.columnsAdded(["d"]))),
        .init(table: "t", .schema(.columnsRemoved(["c"]))),
      ], defaults: ["d": 1.5], count: 3),
    Scenario(
      name: "a table keyed by its rowid",
      schema: "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2), (3, 4)",
      stage: "INSERT INTO t VALUES (5, 6); ALTER TABLE t DROP COLUMN b; DELETE FROM t WHERE a = 1",
      notices: [.init(table: "t", .schema(.columnsRemoved(["b"])))], count: 2),
    Scenario(
      name: "generated columns",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, g AS (a * 2), s AS (a + 1) STORED);
        INSERT INTO t(id, a) VALUES (1, 1), (2, 2)
        """,
      stage:
        "UPDATE t SET a = 5; ALTER TABLE t ADD COLUMN b; UPDATE t SET b = g + s; DELETE FROM t WHERE id = 1",
      notices: [.init(table: "t", .schema(.columnsAdded(["b"])))], defaults: ["b": nil], count: 5),
    Scenario(
      name: "a parent with foreign keys to it",
      schema: plain
        + "; CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON DELETE CASCADE); INSERT INTO c VALUES (1, 1)",
      stage:
        "DELETE FROM c; DELETE FROM t WHERE id = 1; ALTER TABLE t ADD COLUMN b; ALTER TABLE c DROP COLUMN p",
      notices: [
        .init(table: "t", .schema(.columnsAdded(["b"]))),
        .init(table: "c", .schema(.columnsRemoved(["p"]))),
      ], defaults: ["b": nil], count: 2),
  ]

  @Test("columns come and go", arguments: columns, manners)
  func ofColumns(scenario: Scenario, manner: Manner) throws { try follow(scenario, manner) }

  @Test("tables come and go", arguments: tables, manners)
  func ofTables(scenario: Scenario, manner: Manner) throws { try follow(scenario, manner) }

  /// Migrates a tracked store, and compares a replay of its history with its tables.
  private func follow(_ scenario: Scenario, _ manner: Manner) throws {
    let store = try TemporaryStore(sql: scenario.schema, journal: manner.journal)
    try store.track(capture: manner.capture, omitsTimes: manner.omitsTimes)
    let names = try store.opened().tables(isThorough: true).map(\.table)
    let connection = try store.connection()
    // Something that the migration has not done.
    try connection.execute("DELETE FROM \(names[0]) WHERE 0; CREATE TABLE noise(x)")
    let start = try store.opened().state().head
    var image = try RowImage(connection, tables: names, hasValues: manner.capture != .keys)
    let outcome = try store.migrate(.sql(1, scenario.stage, name: "stage"))
    #expect(try store.opened().check().filter(\.needsAttention) == [])
    #expect(try store.opened().tables(isThorough: true).allSatisfy { $0.drift.isEmpty })
    #expect(store.refusal(schema: 1) == nil)

    let events = try store.recorded(after: start).events
    let notices = events.compactMap(\.notice)
    #expect(notices == outcome.notices)
    if !scenario.notices.isEmpty || scenario.count != nil {
      #expect(notices == scenario.notices(under: manner.capture))
    }
    if manner.capture != .keys, let count = scenario.count {
      #expect(events.compactMap(\.transaction).map(\.changes.count).reduce(0, +) == count)
    }
    for transaction in events.compactMap(\.transaction) {
      #expect(transaction.record.author == "migrate")
      #expect(transaction.record.context == "0001 stage")
      #expect(transaction.record.isTagged)
      #expect(transaction.record.timestamp != nil)
    }
    // Each position is one to go on from, to exactly the rest.
    for (place, event) in events.enumerated() {
      #expect(try store.recorded(after: event.token).events == Array(events[(place + 1)...]))
    }
    var gaps: Set<String> = []
    for event in events {
      switch event {
      case .notice(let notice, _):
        if case .gap = notice.event { gaps.insert(notice.table) }
        if case .schema(.tableRenamed(let new)) = notice.event, gaps.contains(notice.table) {
          gaps.insert(new)
        }
        image.follow(notice, renames: scenario.renames, defaults: scenario.defaults)
      case .transaction(let transaction):
        for change in transaction.changes where !gaps.contains(change.table) {
          try image.apply(change)
        }
      }
    }
    image.forget(gaps)
    let now = try store.opened().tables(isThorough: true).map(\.table).filter { !gaps.contains($0) }
    let rows = try RowImage(connection, tables: now, hasValues: manner.capture != .keys)
    #expect(image.differences(from: rows) == [])
    #expect(Set(image.tables.keys) == Set(now))
    // And it goes on.
    let head = try store.opened().state().head
    #expect(events.last.map { $0.token == head } ?? (head == start))
  }
}

extension CaptureInStepTests.Scenario {
  /// What readers are told: where only keys are captured, no trigger shows that another column was
  /// renamed.
  func notices(under capture: Capture) -> [CaptureNotice] {
    guard capture == .keys, renames == ["title": "a"] else { return notices }
    return [
      .init(table: "t", .schema(.columnsRemoved(["a"]))),
      .init(table: "t", .schema(.columnsAdded(["title"]))),
    ]
  }
}

extension RowImage {
  /// Does to the image what a notice says was done to the table.
  mutating func follow(
    _ notice: CaptureNotice, renames: [String: String], defaults: [String: StoredValue]
  ) {
    guard case .schema(let action) = notice.event else { return }
    switch action {
    case .tableDropped: forget([notice.table])
    case .tableRenamed(let name): rename(notice.table, to: name)
    case .columnsRemoved(let names):
      changeRows(of: notice.table) { row in for name in names { row[name] = nil } }
    case .columnsAdded(let names):
      changeRows(of: notice.table) { row in
        for name in names { row[name] = defaults[name] ?? .null }
      }
    case .columnsRenamed(let names):
      changeRows(of: notice.table) { row in
        for name in names { row[name] = renames[name].flatMap { row.removeValue(forKey: $0) } }
      }
    }
  }
}
