package import HistoryModel
import SQLite

extension Tracker {
  /// Gives a database a history, where it has none, before any table is captured.
  ///
  /// - Throws: `HistoryError` when the database cannot be written.
  package func begin() throws(HistoryError) {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        guard try existingHeader() == nil else { return }
        var header = try newHeader()
        try header.seal(in: connection)
      }
    }
  }

  /// Makes another store's tables where they are missing, and captures those that are not captured,
  /// in one transaction.
  ///
  /// - Parameter definitions: The tables of the other store.
  /// - Returns: The names of those that were made.
  /// - Throws: `HistoryError` with code `tablesDiffer` when a table that is here has other columns,
  ///   when a definition is not what it says, or when the schema belongs to an owner; nothing was
  ///   made then.
  /// - Complexity: O(*n*) for *n* objects in the schema.
  package func make(_ definitions: [TableDefinition]) throws(HistoryError) -> [String] {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        var header = try StoreHeader(connection)
        let before = try CaptureInspection(connection, header: header)
        var made: [String] = []
        for definition in definitions {
          if try isThere(definition, in: before) { continue }
          guard try !BoundaryTable(connection).exists else { throw HistoryError.owned(store.path) }
          _ = try DraftTable(definition)
          try connection.execute(definition.sql)
          made.append(definition.table)
        }
        let inspection = try CaptureInspection(connection, header: header)
        let chosen = definitions.compactMap {
          inspection.descriptions[ChangeFilter.folded($0.table)]
        }
        var outcome = Outcome()
        let session = Session(connection, inspection)
        try session.renew(Request(), [], &outcome)
        try session.begin(Request(), chosen, &outcome)
        try header.seal(in: connection)
        return made
      }
    }
  }

  /// Whether a table is here already, with the columns and the key of its definition.
  private func isThere(
    _ definition: TableDefinition, in inspection: CaptureInspection
  ) throws -> Bool {
    let folded = ChangeFilter.folded(definition.table)
    guard inspection.names.contains(where: { ChangeFilter.folded($0.name) == folded }) else {
      return false
    }
    guard let table = inspection.descriptions[folded] else {
      throw HistoryError.noOrdinaryTable(definition.table)
    }
    // A program's own collation is known here to the table only; its rows are compared later.
    if let draft = try? DraftTable(definition) {
      try requireSameColumns(table, draft.description)
    }
    return true
  }

  private func requireSameColumns(_ table: TableDescription, _ other: TableDescription) throws {
    func folded(_ columns: [TableDescription.Column]) -> [String] {
      columns.map { ChangeFilter.folded($0.name) }
    }
    let (own, theirs) = (folded(table.columns), folded(other.columns))
    let missing = other.columns.map(\.name).filter { !own.contains(ChangeFilter.folded($0)) }
    let extra = table.columns.map(\.name).filter { !theirs.contains(ChangeFilter.folded($0)) }
    guard missing.isEmpty, extra.isEmpty, folded(table.keyColumns) == folded(other.keyColumns)
    else { throw HistoryError.otherColumns(table.name, missing: missing, extra: extra) }
  }
}

extension HistoryError {
  /// A table has other columns or another key than another store's.
  package static func otherColumns(
    _ table: String, missing: [String], extra: [String]
  ) -> HistoryError {
    var parts: [String] = []
    if !missing.isEmpty { parts.append("it lacks \(missing.joined(separator: ", "))") }
    if !extra.isEmpty { parts.append("only it has \(extra.joined(separator: ", "))") }
    return HistoryError(
      .tablesDiffer,
      "\(table) has other columns than the source: "
        + (parts.isEmpty ? "its key differs" : parts.joined(separator: "; ")),
      hint: "bring both to the same schema; nothing of the transaction was applied")
  }

  static func noOrdinaryTable(_ name: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "\(name) is here already, and is no table that could be tracked",
      hint: "rename it here, or leave the table out of the stream with --table")
  }

  static func owned(_ path: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "the schema of \(path) belongs to its owner, and lacks tables of the source",
      hint: "migrate the store with its owner's plan; --create is for stores without one")
  }
}
