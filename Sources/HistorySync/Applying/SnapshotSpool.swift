import HistoryModel
import HistoryStore
import SQLite

/// Keeps the rows of a snapshot until all of them are there, so that they can be written in one
/// transaction that nobody has to wait for while they come.
///
/// They stand in a temporary table, which SQLite keeps on disk when there are many.
final class SnapshotSpool {
  /// The position that the rows are the state at.
  let token: HistoryToken
  private let connection: Connection
  private let adding: Statement
  private let finding: Statement
  /// The columns of each table as its rows name them.
  private var names: [String: [String]] = [:]

  init(_ token: HistoryToken, _ connection: Connection) throws {
    self.token = token
    self.connection = connection
    try connection.execute(
      """
      DROP TABLE IF EXISTS temp._history_spool;
      CREATE TEMP TABLE _history_spool(place TEXT PRIMARY KEY, name TEXT, row TEXT) WITHOUT ROWID
      """)
    adding = try connection.prepare(
      "INSERT OR REPLACE INTO temp._history_spool(place, name, row) VALUES(?, ?, ?)")
    finding = try connection.prepare("SELECT 1 FROM temp._history_spool WHERE place = ?")
  }

  /// Keeps a row.
  func add(table: String, key: StoredRow, values: StoredRow) throws {
    guard !key.values.contains(where: \.isNull) else { throw HistoryError.nullInKey(table) }
    let folded = ChangeFilter.folded(table)
    names[folded] = values.columns
    let place = RowPlace(table: folded, key: key.values)
    try adding.bind([.text(place.text), .text(table), .text(WireRow.text(values.values))])
    try adding.run()
  }

  /// Whether a row was kept.
  func contains(_ place: RowPlace) throws -> Bool {
    defer { finding.reset() }
    try finding.bind(.text(place.text), at: 1)
    return try finding.step()
  }

  /// Gives every row that was kept.
  func forEach(
    _ body: (_ table: String, _ place: RowPlace, _ columns: [String: StoredValue]) throws -> Void
  ) throws {
    let rows = try connection.prepare("SELECT place, name, row FROM temp._history_spool")
    while try rows.step() {
      guard let place = rows.text(at: 0).flatMap({ RowPlace($0) }), let name = rows.text(at: 1),
        let values = rows.text(at: 2).flatMap({ WireRow.values($0) }),
        let names = names[place.table]
      else { throw HistoryError.unreadableSpool() }
      let columns = zip(names, values).map { (ChangeFilter.folded($0), $1) }
      try body(name, place, Dictionary(columns) { first, _ in first })
    }
  }

  /// Forgets the rows.
  func drop() throws { try connection.execute("DROP TABLE IF EXISTS temp._history_spool") }
}
