public import HistoryModel
import SQLite

/// Reads the rows of the tracked tables as they are at one position of the history.
///
/// Rows and position are of one read transaction, which is held until the last row was read or
/// ``end()`` is called.
public final class RowSnapshot {
  /// The values of the row that was read last.
  public private(set) var values = CellBuffer()
  /// The position at which the rows are so.
  public let token: HistoryToken
  /// The tables that the rows are in.
  public let tables: [TableDefinition]

  private let store: TrackedStore
  private var remaining: [(shape: TableShape, query: String)] = []
  private var current: (shape: TableShape, rows: Statement)?
  private var isOpen = true

  /// Begins a snapshot.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - filter: Which tables are wanted; what else it restricts does not matter to rows.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked`.
  public init(_ store: TrackedStore, filter: ChangeFilter) throws(HistoryError) {
    self.store = store
    let connection = store.connection
    (token, tables, remaining) = try HistoryError.translating(at: store.path) {
      try connection.run("BEGIN")
      do {
        let header = try StoreHeader(connection)
        let inspection = try CaptureInspection(connection, header: header)
        var tables: [TableDefinition] = []
        var queries: [(TableShape, String)] = []
        for table in inspection.tables {
          guard let current = table.current, filter.matches(table: current.name) else { continue }
          let plan = CapturePlan(
            current, shape: table.active.shape.identifier, capture: .full, keepsTimes: false)
          tables.append(TableDefinition(table: current.name, sql: current.sql))
          queries.append((plan.tableShape, plan.rowQuery))
        }
        return (try store.head(of: header), tables, queries.reversed())
      } catch {
        try? connection.run("ROLLBACK")
        throw error
      }
    }
  }

  deinit { end() }

  /// Reads the next row into ``values``, its first cell at 0.
  ///
  /// - Returns: The shape of the row's table, or nil after the last row.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  public func next() throws(HistoryError) -> TableShape? {
    try HistoryError.translating(at: store.path) {
      while isOpen {
        if let current {
          if try current.rows.step() {
            values.removeAll()
            current.rows.appendCells(0..<current.shape.columns.count, to: &values)
            return current.shape
          }
          self.current = nil
        }
        guard let (shape, query) = remaining.popLast() else {
          end()
          return nil
        }
        current = (shape, try store.connection.prepare(query))
      }
      return nil
    }
  }

  /// Ends the read transaction.
  public func end() {
    guard isOpen else { return }
    isOpen = false
    current = nil
    // A read transaction has nothing to lose, so how its end went does not matter.
    try? store.connection.run("COMMIT")
  }
}

extension CapturePlan {
  /// The query of all rows, in the order of the key.
  var rowQuery: String {
    let key = tableShape.keyPlaces.map { stored[$0] }
    return "SELECT \(stored.map(\.sql).joined(separator: ",")) FROM \(quotedTable)"
      + " ORDER BY \(key.map(\.sql).joined(separator: ","))"
  }

  /// The shape that changes captured by this plan have.
  var tableShape: TableShape {
    TableShape(
      identifier: shape, table: table.name, capture: capture,
      columns: stored.map {
        TableShape.Column(
          name: $0.name, keyPlace: $0.keyPlace, isReal: $0.affinity == .real,
          isInImages: $0.isInImages)
      }, otherColumns: otherColumns)
  }
}
