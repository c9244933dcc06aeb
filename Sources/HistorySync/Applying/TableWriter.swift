import HistoryModel
import HistoryStore
import SQLite

/// Writes another store's changes into one table.
///
/// Statements are prepared once for each form that changes have. Rows are found by key.
final class TableWriter {
  let table: ReplicaTable
  private let connection: Connection
  private var statements: [Form: Prepared] = [:]
  private var last: (form: Form, prepared: Prepared)?
  /// The table's name as SQL.
  let name: String

  /// What a change needs of a statement.
  private struct Form: Hashable {
    let shape: ObjectIdentifier
    let operation: Operation
    /// The places that an update changed.
    let places: [Int]
  }

  /// A statement and the cells to bind to it, as places in the changed row and in the old one.
  private struct Prepared {
    let statement: Statement
    /// The shape is kept, since its identity is what the form was found by.
    let shape: TableShape
    let after: [Int]
    let key: [Int]
  }

  init(_ table: ReplicaTable, _ connection: Connection) {
    self.table = table
    self.connection = connection
    name = Identifier.quoted(table.name)
  }

  /// What became of a change.
  enum Outcome {
    case done
    /// There is no such row.
    case missing
  }

  /// Applies a change.
  ///
  /// - Parameter change: The change.
  /// - Returns: Whether there was such a row.
  /// - Throws: `SQLiteError` with a constraint's code when another row stands in its way, and
  ///   `HistoryError` when it cannot be applied to this table.
  /// - Complexity: O(log *n*) for *n* rows.
  func apply(_ change: HistoryChange) throws -> Outcome {
    let recorded = change.recorded
    let buffer = change.cells.buffer
    var places: [Int] = []
    if recorded.operation == .update {
      places = recorded.shape.columns.indices.filter { recorded.differs(at: $0, in: buffer) }
      if places.isEmpty { return .done }
    }
    let form = Form(
      shape: ObjectIdentifier(recorded.shape), operation: recorded.operation, places: places)
    let prepared: Prepared
    if let last, last.form == form {
      prepared = last.prepared
    } else if let known = statements[form] {
      prepared = known
      last = (form, known)
    } else {
      prepared = try prepare(form, recorded.shape)
      if statements.count >= 256 { statements = [:] }
      statements[form] = prepared
      last = (form, prepared)
    }
    var index = 1
    if let after = recorded.after {
      for place in prepared.after {
        try prepared.statement.bind(buffer.cells[after + place], of: buffer, at: index)
        index += 1
      }
    }
    let keyRow = recorded.keyRow
    for place in recorded.shape.keyPlaces
    where buffer.cells[keyRow + place].storage == .null {
      throw HistoryError.nullInKey(table.name)
    }
    for place in prepared.key {
      try prepared.statement.bind(buffer.cells[keyRow + place], of: buffer, at: index)
      index += 1
    }
    try prepared.statement.run()
    return recorded.operation != .insert && connection.changes == 0 ? .missing : .done
  }

  private func prepare(_ form: Form, _ shape: TableShape) throws -> Prepared {
    let key = try keyColumns(of: shape)
    let condition = key.map { "\($0.sql)=?" }.joined(separator: " AND ")
    switch form.operation {
    case .insert:
      guard shape.capture != .keys || table.columns.allSatisfy({ $0.keyPlace != nil }) else {
        throw HistoryError.noValues(table.name)
      }
      try requireSameColumns(shape)
      let places = shape.columns.indices.filter { !isGenerated(shape.columns[$0].name) }
      let columns = places.map { sql(of: shape.columns[$0]) }
      let marks = columns.map { _ in "?" }.joined(separator: ",")
      return Prepared(
        statement: try connection.prepare(
          "INSERT INTO \(name)(\(columns.joined(separator: ",")))VALUES(\(marks))"),
        shape: shape, after: places, key: [])
    case .update:
      guard shape.capture != .keys else { throw HistoryError.noValues(table.name) }
      try requireKnownColumns(shape)
      let places = form.places.filter { !isGenerated(shape.columns[$0].name) }
      // Only what is computed changed, which it does by itself here too.
      let settings =
        places.isEmpty
        ? ["\(key[0].sql)=\(key[0].sql)"] : places.map { "\(sql(of: shape.columns[$0]))=?" }
      return Prepared(
        statement: try connection.prepare(
          "UPDATE \(name) SET \(settings.joined(separator: ",")) WHERE \(condition)"),
        shape: shape, after: places, key: key.map(\.place))
    case .delete:
      return Prepared(
        statement: try connection.prepare("DELETE FROM \(name) WHERE \(condition)"),
        shape: shape, after: [], key: key.map(\.place))
    }
  }

  private func isGenerated(_ column: String) -> Bool {
    table.columns.contains { Identifier.equal($0.name, column) && $0.isGenerated }
  }

  private func sql(of column: TableShape.Column) -> String {
    if !isColumn(column.name), let rowID = table.rowIDName { return Identifier.quoted(rowID) }
    return Identifier.quoted(column.name)
  }

  private func isColumn(_ name: String) -> Bool {
    table.columns.contains { Identifier.equal($0.name, name) }
  }

  /// The key's columns as SQL, with their places in the shape.
  private func keyColumns(of shape: TableShape) throws -> [(sql: String, place: Int)] {
    let names = shape.keyPlaces.map { shape.columns[$0].name }
    let own = table.keyNames
    guard names.count == own.count, zip(names, own).allSatisfy({ Identifier.equal($0, $1) }) else {
      throw HistoryError.otherColumns(table.name, missing: [], extra: [])
    }
    return zip(shape.keyPlaces, own).map { place, name in (table.sqlOfKey(name), place) }
  }

  private func requireSameColumns(_ shape: TableShape) throws {
    let theirs = shape.columns.map(\.name).filter { table.rowIDName == nil || isColumn($0) }
    let missing = theirs.filter { !isColumn($0) }
    let extra = table.columns.map(\.name).filter { name in
      !theirs.contains { Identifier.equal($0, name) }
    }
    guard missing.isEmpty, extra.isEmpty else {
      throw HistoryError.otherColumns(table.name, missing: missing, extra: extra)
    }
  }

  private func requireKnownColumns(_ shape: TableShape) throws {
    let missing = shape.columns.map(\.name)
      .filter { !isColumn($0) && (table.rowIDName == nil || $0 != "rowid") }
    guard missing.isEmpty else {
      throw HistoryError.otherColumns(table.name, missing: missing, extra: [])
    }
  }
}

extension ReplicaTable {
  /// The names of the key's columns as lines have them.
  var keyNames: [String] {
    if rowIDName != nil { return ["rowid"] }
    return columns.filter { $0.keyPlace != nil }
      .sorted { ($0.keyPlace ?? 0) < ($1.keyPlace ?? 0) }.map(\.name)
  }

  /// A column of the key as SQL.
  func sqlOfKey(_ name: String) -> String { Identifier.quoted(rowIDName ?? name) }
}
