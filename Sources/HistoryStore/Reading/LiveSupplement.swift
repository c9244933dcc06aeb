import HistoryModel
import SQLite

/// Completes inserts with columns that were added to a table since its capture was made.
///
/// Until capture is renewed the triggers do not know such columns. As long as an inserted row is
/// still there its values can be read from it, in the same read transaction: what the columns hold
/// now, which the `schema` line announces and a `gap` line qualifies at renewal.
struct LiveSupplement {
  /// A table whose capture lacks columns.
  private struct Table {
    let completed: TableShape
    let statement: Statement
    let keyPlaces: [Int]
    let isReal: [Bool]
  }

  private let connection: Connection
  private var version: Int64?
  private var tables: [Int64: Table] = [:]
  private let schemaVersion: Statement?

  init(_ connection: Connection) {
    self.connection = connection
    schemaVersion = try? connection.prepare("PRAGMA schema_version")
  }

  /// Looks again which tables lack columns, when the schema has changed.
  ///
  /// - Complexity: O(1) while it has not.
  mutating func prepare(_ header: StoreHeader) throws {
    guard let schemaVersion else { return }
    let now = try schemaVersion.step() ? schemaVersion.int64(at: 0) : 0
    schemaVersion.reset()
    guard now != version else { return }
    version = nil
    tables = [:]
    try look(now, header)
    // Only now: what could not be looked at is looked at again.
    version = now
  }

  private mutating func look(_ now: Int64, _ header: StoreHeader) throws {
    guard now != header.schemaVersion else { return }
    for table in try CaptureInspection(connection, header: header).tables {
      guard let current = table.current else { continue }
      for case .schema(.columnsAdded(let names)) in table.notices.map(\.event) {
        try complete(table.active, current, names)
      }
    }
  }

  private mutating func complete(
    _ active: ShapeTable.Active, _ current: TableDescription, _ added: [String]
  ) throws {
    let shape = active.shape
    let missing = current.columns.filter { added.contains($0.name) }
    guard shape.capture != .keys, !missing.isEmpty else { return }
    let names = missing.map { Identifier.quoted($0.name) }.joined(separator: ",")
    let key = shape.keyPlaces.map { place in
      let column = shape.columns[place]
      return column.isInImages
        ? "\(Identifier.quoted(column.name)) IS ?" : "\(current.rowIDName) IS ?"
    }
    let statement = try connection.prepare(
      "SELECT \(names) FROM \(Identifier.quoted(current.name)) WHERE \(SQLText.all(key)) LIMIT 2")
    let completed = TableShape(
      identifier: shape.identifier, table: shape.table, capture: shape.capture,
      columns: shape.columns
        + missing.map {
          TableShape.Column(
            name: $0.name, keyPlace: nil, isReal: $0.affinity == .real, isInImages: true)
        })
    tables[shape.identifier] = Table(
      completed: completed, statement: statement, keyPlaces: shape.keyPlaces,
      isReal: missing.map { $0.affinity == .real })
  }

  /// Adds the values of missing columns to an inserted row, where the row is still there.
  ///
  /// - Returns: The shape and the first cell of the row to show.
  func completing(
    _ shape: TableShape, at row: Int, in values: inout CellBuffer, _ isWanted: Bool
  ) throws -> (TableShape, Int) {
    guard isWanted, let table = tables[shape.identifier] else { return (shape, row) }
    for (index, place) in table.keyPlaces.enumerated() {
      try table.statement.bind(values.value(at: row + place), at: index + 1)
    }
    defer { table.statement.reset() }
    guard try table.statement.step() else { return (shape, row) }
    let (cells, bytes) = (values.cells.count, values.bytes.count)
    table.statement.appendCells(0..<table.isReal.count, to: &values)
    guard try table.statement.step() else { return (table.completed, row) }
    // A key with NULL in it may be that of several rows, and nobody can tell which of them it is.
    values.cells.removeSubrange(cells...)
    values.bytes.removeSubrange(bytes...)
    return (shape, row)
  }
}
