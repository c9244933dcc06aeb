package import HistoryModel
package import SQLite

/// What a migrated store says of itself: the rows of `_history_boundary`, and of
/// `_history_migration` one for each version of the plan that was applied.
///
/// They are there whether or not the store is tracked, and outlive a history that is dropped.
package struct BoundaryTable {
  private let connection: Connection

  /// Names the tables of a database, which need not be there.
  package init(_ connection: Connection) { self.connection = connection }

  /// Whether the tables are there.
  package var exists: Bool {
    get throws {
      try connection.row(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '_history_boundary'") != nil
    }
  }

  /// Whether an object of the program is one of these.
  static func isPart(_ name: String) -> Bool {
    ["_history_boundary", "_history_migration"].contains(ChangeFilter.folded(name))
  }

  /// Makes the tables where they are missing.
  package func create() throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS _history_boundary(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS _history_migration(
        version INTEGER PRIMARY KEY, name TEXT, checksum INTEGER, at);
      """)
  }

  /// The identity of the store: its history's where it is tracked, else its own.
  ///
  /// - Returns: The identity; nil when it has none yet.
  package func identity() throws -> StoreIdentifier? {
    if try !StoreHeader.presence(connection).isEmpty {
      return try StoreHeader(connection).identifier
    }
    return try ownIdentity()
  }

  /// The identity that the store has without a history; nil when it has none.
  func ownIdentity() throws -> StoreIdentifier? {
    guard try exists else { return nil }
    return try value("store")?.text.flatMap { StoreIdentifier($0) }
  }

  /// Keeps the identity that the store has without a history.
  package func keep(_ identity: StoreIdentifier) throws {
    try keep(.text(identity.description), for: "store")
  }

  /// A value that was kept; nil when none was.
  package func value(_ key: String) throws -> StoredValue? {
    try connection.row("SELECT value FROM _history_boundary WHERE key = ?", .text(key))?[0]
  }

  /// Keeps a value.
  package func keep(_ value: StoredValue, for key: String) throws {
    try connection.run(
      "INSERT OR REPLACE INTO _history_boundary(key, value) VALUES(?, ?)", .text(key), value)
  }
}
