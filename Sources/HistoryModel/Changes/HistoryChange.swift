/// One row's change in a ``HistoryTransaction``.
///
/// It plays the part of SwiftData's `HistoryChange`, with the values before and after.
public struct HistoryChange: Sendable {
  /// What happened, as SwiftData tells it.
  public enum Kind: Sendable, Hashable {
    /// A row was inserted.
    case insert
    /// Columns of a row were changed; none is named under `--capture keys`.
    case update(changedColumns: [String])
    /// A row was deleted, of which this is left.
    case delete(HistoryTombstone)
  }

  /// The place in the whole transaction, from 0; filters leave gaps.
  public let index: Int
  package let recorded: RecordedChange
  package let cells: StoredRow.Cells

  package init(_ recorded: RecordedChange, in cells: StoredRow.Cells, index: Int) {
    self.recorded = recorded
    self.cells = cells
    self.index = index
  }

  /// The table's name, as the schema writes it.
  public var table: String { recorded.shape.table }

  /// What happened.
  public var operation: Operation { recorded.operation }

  /// What happened, with what belongs to it.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the rows of an update.
  public var kind: Kind {
    switch operation {
    case .insert: .insert
    case .update: .update(changedColumns: changedColumns)
    case .delete: .delete(HistoryTombstone(key: key, row: before))
    }
  }

  /// The primary key, or the rowid of a table without one: of an update the old one.
  public var key: StoredRow {
    row(recorded.keyRow, places: recorded.shape.keyPlaces)
  }

  /// The names of the columns that an update changed, in column order; none for anything else.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the rows.
  public var changedColumns: [String] { changedPlaces.map { recorded.shape.columns[$0].name } }

  /// The row before the change, as far as it was captured: an update has the columns it changed,
  /// with `--capture full` all of them; an insert has none.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the rows of an update.
  public var before: StoredRow { image(recorded.before) }

  /// The row after the change, as far as it was captured: an update has the columns it changed,
  /// with `--capture full` all of them; a delete has none.
  ///
  /// - Complexity: O(*n*) for *n* bytes in the rows of an update.
  public var after: StoredRow { image(recorded.after) }

  private var changedPlaces: [Int] {
    guard operation == .update, recorded.shape.capture != .keys else { return [] }
    return recorded.shape.columns.indices.filter { recorded.differs(at: $0, in: cells.buffer) }
  }

  private func image(_ start: Int?) -> StoredRow {
    let shape = recorded.shape
    guard let start, shape.capture != .keys else { return row(0, places: []) }
    let isPartial = operation == .update && shape.capture == .changes
    return row(start, places: isPartial ? changedPlaces : shape.imagePlaces)
  }

  private func row(_ start: Int, places: [Int]) -> StoredRow {
    StoredRow(cells, names: recorded.shape.columnNames, start: start, places: places)
  }
}

extension HistoryChange: Hashable {
  /// Whether two changes say the same.
  public static func == (a: HistoryChange, b: HistoryChange) -> Bool {
    a.index == b.index && a.table == b.table && a.kind == b.kind && a.key == b.key
      && a.before == b.before && a.after == b.after
  }

  /// Feeds place, table and key into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(table)
    hasher.combine(key)
  }
}

/// What is left of a deleted row.
///
/// It plays the part of SwiftData's `HistoryTombstone`; no attribute has to be marked to be
/// preserved, since the whole row is.
public struct HistoryTombstone: Sendable, Hashable {
  /// The primary key that the row had.
  public let key: StoredRow
  /// The row; only its key was captured under `--capture keys`, then it has no column.
  public let row: StoredRow

  /// The names of the columns whose values are preserved.
  public var preservedColumns: [String] { row.columns }

  /// The value that a column had.
  ///
  /// - Parameters:
  ///   - column: Its name.
  ///   - type: The type wanted.
  /// - Returns: The value; nil when it was not captured, or the type cannot hold it.
  public subscript<Value: ColumnValue>(column: String, as type: Value.Type) -> Value? {
    row[column, as: type]
  }
}
