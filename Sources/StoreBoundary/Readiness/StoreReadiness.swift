public import HistoryModel
import HistoryStore
package import SQLite

/// Whether a store may be opened by those who do not own it.
public enum StoreReadiness: Sendable {
  /// Its owner is about to look at it.
  case opening
  /// Its owner prepares it, and is so far.
  case migrating(MigrationEvent)
  /// It may be opened by whoever was made for this version.
  case ready(schema: Int)
  /// It may not, for this reason.
  case unavailable(HistoryError)

  /// Asks whether a client may open a store, without ever failing.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - schema: The version that the client was made for.
  public init(of path: String, schema: Int) {
    do throws(HistoryError) {
      _ = try Self.check(path: path, schema: schema)
      self = .ready(schema: schema)
    } catch {
      self = .unavailable(error)
    }
  }
}

extension StoreReadiness {
  /// Says whether a store's marker promises exactly a schema, without touching the store.
  ///
  /// - Parameters:
  ///   - schema: The version that the caller was made for.
  ///   - neighbours: The store's files.
  /// - Returns: The marker.
  /// - Throws: ``/HistoryModel/HistoryError`` with the reason.
  package static func checkMarker(
    for schema: Int, _ neighbours: StoreNeighbours
  ) throws(HistoryError) -> ReadinessMarker {
    guard let marker = try ReadinessMarker.read(neighbours) else {
      if OwnerLock.isHeld(neighbours) {
        throw .beingMigrated(neighbours.database, OwnerLock.holder(neighbours))
      }
      throw .neverReady(neighbours.database)
    }
    try check(marker.schema, for: schema, neighbours)
    return marker
  }

  /// Says whether a store that its marker promises is what the marker says.
  ///
  /// - Parameters:
  ///   - marker: The marker.
  ///   - connection: A connection to the store.
  ///   - neighbours: The store's files.
  /// - Throws: ``/HistoryModel/HistoryError`` with the reason.
  /// - Complexity: O(*n*) for *n* objects in the schema.
  package static func check(
    _ marker: ReadinessMarker, _ connection: Connection, _ neighbours: StoreNeighbours
  ) throws(HistoryError) {
    try HistoryError.translating(at: neighbours.database) {
      try connection.transaction(.deferred) {
        switch try StoreSeal.fault(of: marker, in: connection) {
        case nil: break
        case .version(let found): try check(found, for: marker.schema, neighbours)
        case .store: throw HistoryError.markerOfAnotherStore(neighbours.database)
        case .tables: throw HistoryError.tablesChanged(neighbours.database)
        }
      }
    }
  }

  /// Says whether a store may be opened: its marker first, then the store itself.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - schema: The version that the caller was made for.
  /// - Returns: The marker.
  /// - Throws: ``/HistoryModel/HistoryError`` with the reason.
  package static func check(
    path: String, schema: Int
  ) throws(HistoryError) -> ReadinessMarker {
    guard DatabaseFile(path: path) != nil else { throw .noStore(path) }
    let neighbours = StoreNeighbours(of: path)
    let marker = try checkMarker(for: schema, neighbours)
    try HistoryError.translating(at: path) {
      let connection = try Connection(path: neighbours.database, access: .readOnly)
      // With a rollback journal every commit keeps readers out for a moment.
      connection.setBusyTimeout(milliseconds: 5000)
      try check(marker, connection, neighbours)
      try connection.close()
    }
    return marker
  }

  /// Says whether a version is the one that the caller was made for.
  static func check(
    _ found: Int, for wanted: Int, _ neighbours: StoreNeighbours
  ) throws(HistoryError) {
    guard found != wanted else { return }
    throw found < wanted
      ? .olderSchema(neighbours.database, found, wanted)
      : .newerSchema(neighbours.database, found, wanted)
  }
}
