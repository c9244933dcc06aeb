import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

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
      name: String, schema: String = Scenario.plain, stage: String, notices: [CaptureNotice] = [],
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

  @Test("columns come and go", arguments: columns, manners)
  func ofColumns(scenario: Scenario, manner: Manner) throws { try follow(scenario, manner) }

  @Test("tables come and go", arguments: tables, manners)
  func ofTables(scenario: Scenario, manner: Manner) throws { try follow(scenario, manner) }

  @Test("odd tables", arguments: oddities, manners)
  func ofOddTables(scenario: Scenario, manner: Manner) throws { try follow(scenario, manner) }

  @Test("a change of a column that fails, and whose code goes on, leaves the table captured")
  func goingOn() throws {
    let store = try TemporaryStore(sql: Scenario.plain)
    try store.track()
    try store.migrate(
      SchemaVersion(
        1, "stage",
        .custom(
          "a",
          didMigrate: { context in
            // It is UNIQUE.
            #expect(throws: HistoryError.self) {
              try context.run("ALTER TABLE t DROP COLUMN u")
            }
            try context.run("UPDATE t SET a = 'x' WHERE id = 1")
          })))
    #expect(try store.recorded().lines == ["update t[1] a='one'>'x'"])
    #expect(try store.recorded().notices == [])
    #expect(try store.opened().check().filter(\.needsAttention) == [])
  }

  /// Migrates a tracked store, and compares a replay of its history with its tables.
  private func follow(_ scenario: Scenario, _ manner: Manner) throws {
    let store = try TemporaryStore(sql: scenario.schema, journal: manner.journal)
    try store.track(capture: manner.capture, omitsTimes: manner.omitsTimes)
    let names = try store.opened().tables(isThorough: true).map(\.table)
    let connection = try store.connection()
    // Something that the migration has not done.
    try connection.execute("CREATE TABLE noise(x)")
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
