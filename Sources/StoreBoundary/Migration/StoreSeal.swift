import HistoryModel
import HistoryStore
import SQLite

/// What a store says of itself after a migration, for those who check whether it is ready.
enum StoreSeal {
  /// Makes the tables for it, and gives the store an identity where it has none.
  static func prepare(_ boundary: BoundaryTable) throws {
    if try !boundary.exists { try boundary.create() }
    if try boundary.value("store") == nil {
      try boundary.keep(boundary.identity() ?? StoreIdentifier())
    }
  }

  /// Keeps which tables there are now.
  static func keep(_ connection: Connection) throws {
    try BoundaryTable(connection).keep(
      .integer(ExpectedTables(connection).fingerprint), for: "tables")
  }

  /// Whether the tables are those that were kept.
  static func isCurrent(_ connection: Connection) throws -> Bool {
    let boundary = BoundaryTable(connection)
    return try boundary.exists
      && boundary.value("tables") == .integer(ExpectedTables(connection).fingerprint)
  }
}
