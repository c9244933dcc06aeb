import HistoryModel
import SQLite

/// The shapes that a reader has met, with what it must know to decode their rows.
struct ShapeCache {
  /// A shape and how its values lie in rows.
  struct Entry {
    let shape: TableShape
    /// The places of columns whose affinity is REAL.
    let realPlaces: [Int]
    /// How many values an image has.
    let width: Int
    /// Whether a filter lets the table through.
    let isWanted: Bool
  }

  private var entries: [Int64: Entry] = [:]
  private let filter: ChangeFilter
  private var lastIdentifier: Int64 = 0
  private var last: Entry?

  init(_ filter: ChangeFilter) { self.filter = filter }

  /// The shape of a number, read from the store the first time.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked` when the store does not have
  ///   it.
  mutating func entry(_ identifier: Int64, _ connection: Connection) throws -> Entry {
    if identifier == lastIdentifier, let last { return last }
    let entry: Entry
    if let known = entries[identifier] {
      entry = known
    } else {
      guard let shape = try ShapeTable(connection).shape(identifier) else {
        throw HistoryError.historyDamaged("shape \(identifier) is missing")
      }
      entry = Entry(
        shape: shape, realPlaces: shape.columns.indices.filter { shape.columns[$0].isReal },
        width: shape.columns.count, isWanted: filter.matches(table: shape.table))
      entries[identifier] = entry
    }
    lastIdentifier = identifier
    last = entry
    return entry
  }
}
