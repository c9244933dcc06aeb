package import HistoryModel
package import HistoryStore
import EventLoop
import SQLite

/// The rows of a query at one moment, with what a snapshot file says of them.
package struct StoreFacts: Sendable {
  /// The rows.
  package let rows: ResultRows
  /// The version of the store's schema, where its owner vouches for it.
  package let schema: Int?
  /// The position at which the rows are so; nil for a store without a history.
  package let token: HistoryToken?
  /// When they were read.
  package let time: CalendarTime

  /// What the file holds.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package var bytes: [UInt8] {
    var lines = LineEncoder()
    lines.facts(rows, schema: schema, token: token, at: time)
    return lines.bytes
  }

  /// Whether another snapshot says the same, but for when and where in the history that was.
  package func says(_ other: StoreFacts) -> Bool { schema == other.schema && rows == other.rows }
}

extension StoreFacts {
  /// Whether another snapshot is of the same store.
  package func isOfSameStore(as other: StoreFacts) -> Bool {
    token?.storeIdentifier == other.token?.storeIdentifier
  }
}

/// A query whose rows are written to a snapshot file.
package struct FactsQuery: Sendable {
  private let neighbours: StoreNeighbours
  private let path: String
  private let query: SingleQuery

  /// Takes a query in, without looking at it.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - path: The store's path.
  package init(_ query: SingleQuery, at path: String) {
    self.query = query
    self.path = path
    neighbours = StoreNeighbours(of: path)
  }

  /// Reads the facts, all of them in one read transaction.
  ///
  /// - Returns: The facts.
  /// - Throws: ``HistoryError`` when the store cannot be read, and as ``SingleQuery`` does.
  package func read() throws(HistoryError) -> StoreFacts {
    let store = try TrackedStore(path: path, access: .readOnly)
    return try store.readEvenUntracked(facts)
  }

  /// Reads the facts of a store that somebody else has opened.
  ///
  /// - Parameter view: The store at one position.
  /// - Returns: The facts.
  /// - Throws: As ``read()`` does.
  package func read(_ view: ReadView) throws -> StoreFacts {
    try facts(view.connection, view.token)
  }

  private func facts(_ connection: Connection, _ token: HistoryToken?) throws -> StoreFacts {
    let time = CalendarTime(milliseconds: WallClock.milliseconds)
    let rows = try query.rows(on: connection)
    return StoreFacts(rows: rows, schema: try schema(connection), token: token, time: time)
  }

  /// The version that the store has, where the marker beside it holds, as for whoever opens it.
  private func schema(_ connection: Connection) throws -> Int? {
    guard let marker = try? ReadinessMarker.read(neighbours),
      try StoreSeal.fault(of: marker, in: connection) == nil
    else { return nil }
    return marker.schema
  }
}
