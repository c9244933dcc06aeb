public import HistoryModel
import SQLite

/// Ends the capture of tables, also where the history was damaged by hand.
public struct Untracker {
  private let store: TrackedStore
  private var connection: Connection { store.connection }

  /// Makes an untracker of a store that was opened for writing.
  ///
  /// - Parameter store: The store.
  public init(_ store: TrackedStore) { self.store = store }

  /// Ends the capture of tables; the history so far can still be read.
  ///
  /// - Parameter tables: The tables, by name in any letter case; none for all.
  /// - Returns: The tables whose capture ended.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `untrackable` when a named table is not
  ///   captured.
  public func untrack(_ tables: [String]) throws(HistoryError) -> [String] {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        // Also while other parts of the history are missing (fact 18).
        guard try !StoreHeader.presence(connection).isEmpty else {
          throw HistoryError.notTracked(store.path)
        }
        var header = try StoreHeader(row: connection.prepare(StoreHeader.query))
        let shapes = ShapeTable(connection)
        let active = try shapes.active()
        // Before anything is dropped: what VACUUM did shows in a schema that is otherwise the same.
        let inspection = try inspection(header)
        for name in tables where !active.contains(where: { Identifier.equal($0.shape.table, name) })
        {
          throw HistoryError.notCaptured(name)
        }
        let ended = active.filter { entry in
          tables.isEmpty || tables.contains { Identifier.equal($0, entry.shape.table) }
        }
        for entry in ended {
          try dropTriggers { $0.hasPrefix("_history_\(entry.shape.identifier)_") }
          try shapes.retire(entry.shape.identifier)
        }
        if try renew(inspection?.without(Set(ended.map(\.shape.identifier)))) {
          try header.seal(in: connection)
        }
        return ended.map(\.shape.table)
      }
    }
  }

  /// How the schema has changed since capture was last found current; nil when it has not.
  private func inspection(_ header: StoreHeader) throws -> CaptureInspection? {
    let version = try connection.row("PRAGMA schema_version")?[0].integer
    return version == header.schemaVersion
      ? nil : try CaptureInspection(connection, header: header)
  }

  /// Renews the capture of the tables that stay, since the header will say that it is current.
  ///
  /// - Returns: Whether it is now. Where it cannot be made so, the tables whose capture ends are
  ///   perhaps the way out, and what is amiss with the others stays to be seen.
  private func renew(_ inspection: CaptureInspection?) throws -> Bool {
    guard let inspection else { return true }
    try connection.execute("SAVEPOINT renewal")
    do {
      var outcome = Tracker.Outcome()
      try Tracker.Session(connection, inspection).renew(Tracker.Request(), [], &outcome)
      try connection.execute("RELEASE renewal")
      return true
    } catch let error where error is HistoryError || (error as? SQLiteError)?.code.primary == .error
    {
      try connection.execute("ROLLBACK TO renewal; RELEASE renewal")
      return false
    }
  }

  /// Removes every object of the program, leaving the schema as if nothing had been tracked.
  ///
  /// It works as well where some of them were dropped by hand: what is left is removed.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked` when there is none.
  public func dropHistory() throws(HistoryError) {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        // What a migrated store says of its schema is no history and stays.
        let isThere = try connection.rows("SELECT name FROM sqlite_schema").contains {
          let name = $0[0].text ?? ""
          return Layout.isOurs(name) && !BoundaryTable.isPart(name)
        }
        guard isThere else { throw HistoryError.notTracked(store.path) }
        // Triggers first: while one names a table that is gone, dropping others can fail.
        try dropTriggers(where: Layout.isOurs)
        for (kind, name) in Layout.objects {
          try connection.execute("DROP \(kind) IF EXISTS \(name)")
        }
        // Whatever is tracked next is another store, also to those who ask whether it is ready.
        let boundary = BoundaryTable(connection)
        if try boundary.exists { try boundary.keep(StoreIdentifier()) }
      }
    }
  }

  private func dropTriggers(where isChosen: (String) -> Bool) throws {
    for row in try connection.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger'") {
      if let name = row[0].text, isChosen(name) {
        try connection.execute("DROP TRIGGER IF EXISTS \(Identifier.quoted(name))")
      }
    }
  }
}
