public import HistoryModel
public import SQLite

/// The rows of some tables, to which a history can be replayed as strictly as can be.
public struct RowImage: Sendable, Equatable {
  /// A change that does not fit the rows.
  public struct Failure: Error, CustomStringConvertible {
    /// The change and why it does not fit.
    public let description: String
  }

  /// For each table its rows by key, each as its columns' values.
  public private(set) var tables: [String: [[StoredValue]: [String: StoredValue]]] = [:]
  private let hasValues: Bool

  /// Reads the rows of a database.
  ///
  /// - Parameters:
  ///   - connection: A connection to it.
  ///   - names: The tables.
  ///   - hasValues: Whether to keep values; without them only the keys count.
  /// - Throws: `SQLiteError` when they cannot be read.
  public init(_ connection: Connection, tables names: [String], hasValues: Bool = true) throws {
    self.hasValues = hasValues
    for name in names {
      let columns = try connection.rows(
        "SELECT name, pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid", .text(name))
      let key = columns.filter { $0[1] != 0 }.sorted { ($0[1].integer ?? 0) < ($1[1].integer ?? 0) }
        .compactMap { $0[0].text }
      let values = columns.compactMap { $0[0].text }
      let rowID = ["rowid", "_rowid_", "oid"].first { !values.contains($0) } ?? "rowid"
      let expressions = (key.isEmpty ? [rowID] : key.map(Identifier.quoted))
      var rows: [[StoredValue]: [String: StoredValue]] = [:]
      for row in try connection.rows(
        "SELECT \((expressions + values.map(Identifier.quoted)).joined(separator: ",")) FROM "
          + Identifier.quoted(name))
      {
        rows[Array(row.prefix(expressions.count))] =
          hasValues
          ? Dictionary(uniqueKeysWithValues: zip(values, row.dropFirst(expressions.count))) : [:]
      }
      tables[name] = rows
    }
  }

  /// Applies a change, which must fit to the last bit.
  ///
  /// - Parameter change: The change.
  /// - Throws: ``Failure`` when an inserted row is there already, or another is not there or is
  ///   another.
  public mutating func apply(_ change: ChangeRecord) throws(Failure) {
    let key = change.key.map(\.value)
    let old = tables[change.table]?[key]
    func refuse(_ why: String) -> Failure { Failure(description: "\(change): \(why)") }
    if change.operation == .insert {
      guard old == nil else { throw refuse("there is such a row") }
      tables[change.table]?[key] = Self.dictionary(change.after)
      return
    }
    guard var row = old else { throw refuse("there is no such row") }
    for field in change.before ?? [] where row[field.name] != field.value {
      throw refuse("\(field.name) is \(row[field.name].map(ChangeRecord.literal) ?? "not there")")
    }
    tables[change.table]?[key] = nil
    guard change.operation == .update else { return }
    row.merge(Self.dictionary(change.after)) { $1 }
    let newKey = change.key.map { field in
      change.changed.contains(field.name) ? row[field.name] ?? field.value : field.value
    }
    guard tables[change.table]?[newKey] == nil else { throw refuse("its new key is taken") }
    tables[change.table]?[newKey] = row
  }

  /// Changes what all rows of a table have, as a change of its columns does.
  package mutating func changeRows(
    of table: String, _ change: (inout [String: StoredValue]) -> Void
  ) {
    guard hasValues, let rows = tables[table] else { return }
    tables[table] = rows.mapValues { row in
      var row = row
      change(&row)
      return row
    }
  }

  /// Gives a table another name.
  package mutating func rename(_ table: String, to name: String) {
    tables[name] = tables.removeValue(forKey: table)
  }

  /// Leaves tables out, of which it is not known any more what they have.
  package mutating func forget(_ names: Set<String>) {
    for name in names { tables[name] = nil }
  }

  /// Where two images differ, a short line for each row.
  ///
  /// - Parameter other: The other image.
  /// - Returns: The rows that only one has, or that both have with other values.
  public func differences(from other: RowImage) -> [String] {
    var lines: [String] = []
    for table in Set(tables.keys).union(other.tables.keys).sorted() {
      let (mine, theirs) = (tables[table] ?? [:], other.tables[table] ?? [:])
      for key in Set(mine.keys).union(theirs.keys) where mine[key] != theirs[key] {
        let text = { (row: [String: StoredValue]?) in
          row.map { row in
            row.sorted { $0.key < $1.key }.map { "\($0.key)=\(ChangeRecord.literal($0.value))" }
              .joined(separator: " ")
          } ?? "none"
        }
        let name = key.map(ChangeRecord.literal).joined(separator: ",")
        lines.append("\(table)[\(name)]: \(text(mine[key])) / \(text(theirs[key]))")
      }
    }
    return lines
  }

  private static func dictionary(_ fields: [ChangeRecord.Field]?) -> [String: StoredValue] {
    Dictionary(uniqueKeysWithValues: (fields ?? []).map { ($0.name, $0.value) })
  }
}
