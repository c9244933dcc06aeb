package import HistoryModel
import SQLite

/// What a store keeps of the stores that it follows.
///
/// It stands in the same file as the rows, so that a position and what was applied up to it commit
/// together. The tables are made with the first write of a store that follows another; as long as they
/// are not there, nothing is known of any.
package final class SyncTables {
  /// What is kept of one other store.
  package struct Entry: Sendable, Equatable {
    /// The position up to which its history was applied; nil when it was never read itself.
    package var token: HistoryToken?
    /// The last sequence of what it made that was applied, by whatever road it came.
    package var applied: Int64 = 0
    /// The last row of our own history before which nothing differs from what it has.
    package var agreed: Int64 = 0
    /// The changes of the untagged run that ended at ``token``: number of the part and changes.
    package var parts = ""
    /// The position after the last tagged transaction that was applied.
    ///
    /// Nobody may show it in other pieces, so it tells whether a history from further back is still
    /// the one that was applied.
    package var tagged: HistoryToken?

    package init() {}
  }

  private struct Statements {
    let keeping: Statement
    let reading: Statement
    let marking: Statement
  }

  private let store: TrackedStore
  private var connection: Connection { store.connection }
  private var statements: Statements?
  /// The schema that ``statements`` were made for: another one may lack the tables, as that of a store which was
  /// restored to before they were made.
  private var schema: Int64?

  private static let creation = [
    (
      "_history_sync",
      """
      CREATE TABLE _history_sync(
        store TEXT PRIMARY KEY, token TEXT, applied INTEGER, agreed INTEGER, parts TEXT, tagged TEXT
      ) WITHOUT ROWID
      """
    ),
    (
      "_history_sync_seen",
      """
      CREATE TABLE _history_sync_seen(
        source TEXT, origin TEXT, sequence INTEGER, PRIMARY KEY(source, origin)) WITHOUT ROWID
      """
    ),
    (
      "_history_sync_row",
      """
      CREATE TABLE _history_sync_row(
        source TEXT, place TEXT, base TEXT, PRIMARY KEY(source, place)) WITHOUT ROWID
      """
    ),
    (
      "_history_conflict",
      """
      CREATE TABLE _history_conflict(
        id INTEGER PRIMARY KEY, source TEXT, place TEXT, line TEXT)
      """
    ),
  ]

  /// Looks at nothing yet.
  package init(_ store: TrackedStore) { self.store = store }

  /// Whether the tables are there.
  package var areMade: Bool {
    get throws {
      if statements != nil, try store.schemaVersion() == schema { return true }
      statements = nil
      return try Self.creation.allSatisfy { name, _ in
        try connection.row("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) != nil
      }
    }
  }

  /// Looks anew whether they are there, after a rollback.
  func forget() { statements = nil }

  /// The statements, which need the tables.
  private func prepared() throws -> Statements {
    if let statements { return statements }
    let statements = Statements(
      keeping: try connection.prepare(
        """
        INSERT INTO _history_sync(store, token, applied, agreed, parts, tagged)
        VALUES(?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT(store) DO UPDATE
        SET token = excluded.token, applied = excluded.applied, agreed = excluded.agreed,
          parts = excluded.parts, tagged = excluded.tagged
        """),
      reading: try connection.prepare(
        "SELECT token, applied, agreed, parts, tagged FROM _history_sync WHERE store = ?"),
      marking: try connection.prepare(
        "INSERT OR REPLACE INTO _history_sync_seen(source, origin, sequence) VALUES(?, ?, ?)"))
    self.statements = statements
    schema = try store.schemaVersion()
    return statements
  }

  /// Makes what is missing of the tables, in a write transaction.
  ///
  /// - Returns: Whether anything was.
  static func create(in connection: Connection) throws -> Bool {
    var isChanged = false
    for (name, sql) in creation
    where try connection.row("SELECT 1 FROM sqlite_schema WHERE name = ?", .text(name)) == nil {
      try connection.execute(sql)
      isChanged = true
    }
    return isChanged
  }

  /// What is kept of a store.
  package func entry(of store: StoreIdentifier) throws -> Entry {
    guard try areMade else { return Entry() }
    let reading = try prepared().reading
    defer { reading.reset() }
    try reading.bind(.text(store.description), at: 1)
    guard try reading.step() else { return Entry() }
    var entry = Entry()
    entry.token = try reading.text(at: 0).map { try HistoryToken($0) }
    entry.applied = reading.int64(at: 1)
    entry.agreed = reading.int64(at: 2)
    entry.parts = reading.text(at: 3) ?? ""
    entry.tagged = try reading.text(at: 4).map { try HistoryToken($0) }
    return entry
  }

  /// Keeps what is known of a store.
  package func keep(_ entry: Entry, of store: StoreIdentifier) throws {
    let keeping = try prepared().keeping
    try keeping.bind([
      .text(store.description), entry.token.map { .text($0.description) } ?? .null,
      .integer(entry.applied), .integer(entry.agreed), .text(entry.parts),
      entry.tagged.map { .text($0.description) } ?? .null,
    ])
    try keeping.run()
  }

  /// How far each store's transactions were seen in the history of another.
  ///
  /// - Parameter source: The store whose history it was.
  /// - Returns: The last sequences by the store that made them.
  /// - Throws: What SQLite reports.
  package func seen(by source: StoreIdentifier) throws -> [StoreIdentifier: Int64] {
    var seen: [StoreIdentifier: Int64] = [:]
    guard try areMade else { return seen }
    for row in try connection.rows(
      "SELECT origin, sequence FROM _history_sync_seen WHERE source = ?",
      .text(source.description))
    {
      guard let origin = row[0].text.flatMap({ StoreIdentifier($0) }) else { continue }
      seen[origin] = row[1].integer
    }
    return seen
  }

  /// Keeps how far a store's transactions were seen in the history of another.
  package func keepSeen(
    _ sequence: Int64, of origin: StoreIdentifier, by source: StoreIdentifier
  ) throws {
    let marking = try prepared().marking
    try marking.bind([
      .text(source.description), .text(origin.description), .integer(sequence),
    ])
    try marking.run()
  }
}

extension SyncTables {
  /// The rows that another store has otherwise since a conflict was decided against it.
  package func bases(of source: StoreIdentifier) throws -> [(place: String, base: String)] {
    guard try areMade else { return [] }
    return try connection.rows(
      "SELECT place, base FROM _history_sync_row WHERE source = ?", .text(source.description)
    ).map { ($0[0].text ?? "", $0[1].text ?? "") }
  }

  /// Keeps what another store has in a row; nil to forget it.
  package func keepBase(
    _ base: String?, at place: String, of source: StoreIdentifier
  ) throws {
    if let base {
      try connection.run(
        "INSERT OR REPLACE INTO _history_sync_row(source, place, base) VALUES(?, ?, ?)",
        .text(source.description), .text(place), .text(base))
    } else {
      try connection.run(
        "DELETE FROM _history_sync_row WHERE source = ? AND place = ?",
        .text(source.description), .text(place))
    }
  }

  /// Forgets what another store has in rows where a conflict was decided against it.
  package func forgetBases(of source: StoreIdentifier) throws {
    try connection.run(
      "DELETE FROM _history_sync_row WHERE source = ?", .text(source.description))
  }

  /// Keeps the line of a conflict until it is acknowledged; a row's newest takes the place of the
  /// one before.
  package func keepConflict(
    _ line: String, at place: String, of source: StoreIdentifier
  ) throws {
    try connection.run(
      "DELETE FROM _history_conflict WHERE source = ? AND place = ?",
      .text(source.description), .text(place))
    try connection.run(
      "INSERT INTO _history_conflict(source, place, line) VALUES(?, ?, ?)",
      .text(source.description), .text(place), .text(line))
  }

  /// The lines of the conflicts that were not acknowledged, oldest first.
  package func conflicts() throws -> [String] {
    guard try areMade else { return [] }
    return try connection.rows("SELECT line FROM _history_conflict ORDER BY id")
      .compactMap { $0[0].text }
  }

  /// Forgets all conflicts.
  package func acknowledgeConflicts() throws {
    try connection.execute("DELETE FROM _history_conflict")
  }
}
