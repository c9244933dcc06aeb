import HistoryModel
import HistoryStore
import SQLite

/// Reads and sets whole rows of a table by their key: what conflicts and parked rows need.
final class TableRows {
  private let connection: Connection
  private let name: String
  /// The names of the columns that can be written, as the schema has them.
  let columns: [String]
  private let writer: TableWriter
  private let reading: Statement
  private let deleting: Statement
  private var writing: [Bool: Statement] = [:]

  init(_ writer: TableWriter, _ connection: Connection) throws {
    self.connection = connection
    self.writer = writer
    name = writer.name
    let table = writer.table
    let columns = table.columns.filter { !$0.isGenerated }.map(\.name)
    self.columns = columns
    let condition = writer.table.keyNames.map { "\(writer.table.sqlOfKey($0))=?" }.joined(
      separator: " AND ")
    reading = try connection.prepare(
      "SELECT \(columns.map { Identifier.quoted($0) }.joined(separator: ",")) FROM \(name)"
        + " WHERE \(condition)")
    deleting = try connection.prepare("DELETE FROM \(name) WHERE \(condition)")
  }

  /// The row with a key; nil when there is none.
  func row(_ key: [StoredValue]) throws -> [StoredValue]? {
    defer { reading.reset() }
    try reading.bind(key)
    return try reading.step() ? reading.row : nil
  }

  /// The row with a key, with its names.
  func namedRow(_ key: [StoredValue]) throws -> StoredRow? {
    guard let values = try row(key) else { return nil }
    var buffer = CellBuffer()
    for value in values { buffer.append(value) }
    return StoredRow(StoredRow.Cells(buffer), names: columns, start: 0)
  }

  /// The names of all columns, also of those that are computed.
  var allColumns: [String] { writer.table.columns.map(\.name) }

  /// Gives the key of every row.
  func forEachKey(_ body: ([StoredValue]) throws -> Void) throws {
    let key = writer.table.keyNames.map { writer.table.sqlOfKey($0) }.joined(separator: ",")
    let rows = try connection.prepare("SELECT \(key) FROM \(name)")
    while try rows.step() { try body(rows.row) }
  }

  /// Deletes the row with a key.
  func delete(_ key: [StoredValue]) throws {
    try deleting.bind(key)
    try deleting.run()
  }

  /// Inserts a row.
  ///
  /// - Parameters:
  ///   - row: Its values, in the order of ``columns``.
  ///   - key: Its key, which is not among them where the rowid stands in for one.
  ///   - replaces: Whether rows that stand in its way are displaced.
  /// - Throws: `SQLiteError` with a constraint's code when another row stands in its way.
  func insert(_ row: [StoredValue], _ key: [StoredValue], replaces: Bool) throws {
    let rowID = writer.table.rowIDName
    let statement: Statement
    if let known = writing[replaces] {
      statement = known
    } else {
      var names = columns.map { Identifier.quoted($0) }
      if let rowID { names.append(Identifier.quoted(rowID)) }
      statement = try connection.prepare(
        "INSERT\(replaces ? " OR REPLACE" : "") INTO \(name)(\(names.joined(separator: ",")))"
          + "VALUES(\(names.map { _ in "?" }.joined(separator: ",")))")
      writing[replaces] = statement
    }
    try statement.bind(rowID == nil ? row : row + key)
    try statement.run()
  }

  /// Sets the columns of a row in which it differs.
  func update(
    _ key: [StoredValue], from old: [StoredValue], to new: [StoredValue], replaces: Bool
  ) throws {
    let places = columns.indices.filter { old[$0] != new[$0] }
    guard !places.isEmpty else { return }
    let settings = places.map { "\(Identifier.quoted(columns[$0]))=?" }.joined(separator: ",")
    let condition = writer.table.keyNames.map { "\(writer.table.sqlOfKey($0))=?" }.joined(
      separator: " AND ")
    let statement = try connection.prepare(
      "UPDATE\(replaces ? " OR REPLACE" : "") \(name) SET \(settings) WHERE \(condition)")
    try statement.bind(places.map { new[$0] } + key)
    try statement.run()
  }

  /// A row after a change of it; before, there is none for an insert.
  func row(_ row: [StoredValue]?, after change: HistoryChange) -> [StoredValue] {
    let after = change.after
    return columns.enumerated().map { place, name in after[name] ?? row?[place] ?? .null }
  }

  /// Whether two rows differ in anything that must be unique.
  func differInUnique(_ a: [StoredValue], _ b: [StoredValue]) -> Bool {
    columns.indices.contains { place in
      a[place] != b[place]
        && (writer.table.hasComputedIndex
          || writer.table.uniqueColumns.contains(ChangeFilter.folded(columns[place])))
    }
  }
}
