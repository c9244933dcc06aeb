import SQLite

/// What a read transaction saw of a store, as two numbers that move when it changes.
package struct StoreVersion: Sendable, Hashable {
  /// `PRAGMA data_version`: moves with every commit of another connection.
  package let data: Int64
  /// `PRAGMA schema_version`: moves with every change of the schema.
  package let schema: Int64
}

extension TrackedStore {
  /// What the open read transaction sees, or a short one of its own.
  func version() throws -> StoreVersion {
    StoreVersion(data: try dataVersion(), schema: try number(.schemaVersion))
  }

  /// `PRAGMA data_version`.
  func dataVersion() throws -> Int64 { try number(.dataVersion) }

  /// Whether the store has a write-ahead log, as far as the last read saw; takes no lock.
  func hasLog() throws -> Bool {
    let statement = try prepared(.journalMode)
    defer { statement.reset() }
    return try statement.step() && statement.text(at: 0) == "wal"
  }

  private func number(_ purpose: Prepared) throws -> Int64 {
    let statement = try prepared(purpose)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }
}
