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

  /// Why a marker does not hold of a store.
  enum Fault: Equatable {
    /// The store has another version.
    case version(Int)
    /// It is another store.
    case store
    /// Its tables are not those that its owner left.
    case tables
  }

  /// Says whether a marker holds of a store, in a transaction of the caller's.
  ///
  /// - Returns: The first reason why not; nil when it does.
  /// - Throws: What SQLite reports.
  /// - Complexity: O(*n*) for *n* objects in the schema.
  static func fault(of marker: ReadinessMarker, in connection: Connection) throws -> Fault? {
    let version = try connection.row("PRAGMA user_version")?[0].integer ?? 0
    if version != Int64(marker.schema) { return .version(Int(version)) }
    if try BoundaryTable(connection).identity() != marker.store { return .store }
    return try isCurrent(connection) ? nil : .tables
  }

  /// Whether the tables are those that were kept.
  static func isCurrent(_ connection: Connection) throws -> Bool {
    let boundary = BoundaryTable(connection)
    return try boundary.exists
      && boundary.value("tables") == .integer(ExpectedTables(connection).fingerprint)
  }
}
