package import HistoryModel
import SQLite

/// For which schema a store is ready as it is now, whoever asks.
package enum PresentReadiness: Sendable {
  /// Nothing says that it is, as it is with stores that were never migrated.
  case unmarked
  /// It is, for exactly this one.
  case ready(schema: Int)
  /// It is marked or being prepared, and not ready, for this reason.
  case unready(HistoryError)

  /// Looks at the marker of a store and then at the store.
  ///
  /// - Parameter path: The store's path.
  /// - Complexity: O(*n*) for *n* columns.
  package init(of path: String) {
    let files = StoreNeighbours(of: path)
    do throws(HistoryError) {
      if let marker = try ReadinessMarker.read(files) {
        self = .ready(schema: try StoreReadiness.check(path: path, schema: marker.schema).schema)
      } else if OwnerLock.isHeld(files) {
        self = .unready(.beingMigrated(files.database, OwnerLock.holder(files)))
      } else {
        self = .unmarked
      }
    } catch {
      self = .unready(error)
    }
  }

  /// The readiness as JSON: null, the number of the schema, or an object with the reason.
  package var json: JSONValue {
    switch self {
    case .unmarked: .null
    case .ready(let schema): .integer(Int64(schema))
    case .unready(let error):
      ["reason": .string((error.unavailableReason ?? .notReady).rawValue)]
    }
  }
}
