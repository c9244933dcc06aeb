public import HistoryModel
import SQLite

/// What is amiss with the capture of one table.
public struct TableStatus: Sendable, Hashable {
  /// The table's name as it is now, or as it was when it is gone.
  public let table: String
  /// How much is captured.
  public let capture: Capture
  /// Whether each change keeps its statement's time.
  public let keepsTimes: Bool
  /// What is amiss, in words; empty when capture is current.
  public let drift: [String]
  /// What readers are told about it.
  public let notices: [CaptureNotice]
}

extension TrackedStore {
  /// The schema's cookie, which moves on every change of the schema by anyone.
  ///
  /// - Returns: The number.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  public func schemaVersion() throws(HistoryError) -> Int64 {
    try HistoryError.translating(at: path) {
      let statement = try prepared(.schemaVersion)
      defer { statement.reset() }
      return try statement.step() ? statement.int64(at: 0) : 0
    }
  }

  /// The tables that are being captured, compared with the schema as it is.
  ///
  /// - Parameter isThorough: Whether to compare even when the schema's cookie says that nothing
  ///   has changed since capture was last found current.
  /// - Returns: Every captured table, in the order of tracking; none when not thorough and nothing
  ///   has changed.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked`.
  /// - Complexity: O(1) when not thorough and nothing has changed, else O(*n*) for *n* objects in
  ///   the schema.
  public func tables(isThorough: Bool) throws(HistoryError) -> [TableStatus] {
    try HistoryError.translating(at: path) {
      try connection.transaction(.deferred) {
        let header = try StoreHeader(connection)
        if try !isThorough && schemaVersion() == header.schemaVersion { return [] }
        return try CaptureInspection(connection, header: header).tables.map { table in
          TableStatus(
            table: table.current?.name ?? table.active.shape.table,
            capture: table.active.shape.capture, keepsTimes: table.active.keepsTimes,
            drift: table.drift, notices: table.notices)
        }
      }
    }
  }
}
