import HistoryModel
import SQLite

/// A table made from a definition in a database of its own, to see what it would be.
///
/// A definition comes from another store, perhaps by way of a network, so it is believed only once
/// it was seen to do nothing but make the one table that it names.
struct DraftTable {
  let description: TableDescription

  /// Tries a definition.
  ///
  /// - Throws: `HistoryError` with code `tablesDiffer` when it does not make that table, or does
  ///   anything else.
  init(_ definition: TableDefinition) throws {
    let name = definition.table
    let draft = try Connection.inMemory()
    draft.setAuthorizer { action in
      switch action.code {
      // What CREATE TABLE does to the schema, and its expressions.
      case .insert, .update, .delete:
        action.first == "sqlite_master" || action.first == "sqlite_sequence" ? .allow : .deny
      case .createTable, .createIndex, .reindex, .read, .function: .allow
      default: .deny
      }
    }
    let inspection: CaptureInspection
    do {
      try draft.run(definition.sql)
      draft.setAuthorizer(nil)
      inspection = try CaptureInspection(draft, header: nil)
    } catch {
      throw HistoryError.noDefinition(name, because: "\(error)")
    }
    guard !Layout.isOurs(name),
      let description = inspection.descriptions[ChangeFilter.folded(name)],
      description.name == name, description.sql == definition.sql
    else { throw HistoryError.noDefinition(name, because: nil) }
    self.description = description
  }
}

extension HistoryError {
  static func noDefinition(_ table: String, because reason: String?) -> HistoryError {
    HistoryError(
      .tablesDiffer,
      "the source's definition of \(table) cannot be used"
        + (reason.map { ": \($0)" } ?? ": it is not that of a table that could be tracked"),
      hint: "make the table here by hand, and run it again")
  }
}
