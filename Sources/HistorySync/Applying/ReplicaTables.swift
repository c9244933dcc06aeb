import HistoryModel
import HistoryStore
import SQLite

/// The tables of the store that is written to, as they are under one schema.
final class ReplicaTables {
  let schema: Int64
  let foreignKeys: ForeignKeyCheck
  private let replica: ReplicaStore
  private var writers: [String: TableWriter] = [:]
  private var rows: [String: TableRows] = [:]
  private var last: (shape: TableShape, writer: TableWriter)?

  init(_ replica: ReplicaStore) throws {
    self.replica = replica
    schema = replica.schema
    foreignKeys = try ForeignKeyCheck(replica.tables, replica.connection)
  }

  /// What writes into the table of a change.
  ///
  /// - Throws: `HistoryError` with code `tablesDiffer` when there is no such table.
  func writer(of change: HistoryChange) throws -> TableWriter {
    let shape = change.recorded.shape
    if let last, last.shape === shape { return last.writer }
    let writer = try writer(of: ChangeFilter.folded(shape.table), named: shape.table)
    last = (shape, writer)
    return writer
  }

  private func writer(of table: String, named name: String) throws -> TableWriter {
    if let writer = writers[table] { return writer }
    guard let found = replica.tables[table] else { throw HistoryError.noTable(name) }
    let writer = TableWriter(found, replica.connection)
    writers[table] = writer
    return writer
  }

  /// What reads and sets whole rows of a table.
  func rows(of change: HistoryChange) throws -> TableRows {
    try rows(of: ChangeFilter.folded(change.table), named: change.table)
  }

  /// What reads and sets whole rows of a table, found by its folded name.
  func rows(of table: String, named name: String) throws -> TableRows {
    if let known = rows[table] { return known }
    let new = try TableRows(writer(of: table, named: name), replica.connection)
    rows[table] = new
    return new
  }
}
