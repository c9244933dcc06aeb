/// Which changes matter to somebody: those that pass a filter and touch certain columns and rows.
public struct ChangeInterest: Sendable, Hashable {
  /// Columns that an update has to change.
  public enum Columns: Sendable, Hashable {
    /// Any.
    case any
    /// One of these, whatever the table; names in lower case of ASCII letters, as
    /// ``ChangeFilter/folded(_:)`` gives them.
    case named(Set<String>)
    /// By table, one of these; a table that is not listed may change in any column. All names are
    /// in lower case of ASCII letters, as ``ChangeFilter/folded(_:)`` gives them.
    case byTable([String: Set<String>])
  }

  /// The tables, operations and authors that matter.
  public var filter: ChangeFilter
  /// The columns that matter.
  ///
  /// Inserts and deletes always do, and so do updates of which capture keeps only the key.
  public package(set) var columns: Columns
  /// By table, the only rows that matter: those with this value in their integer key.
  public package(set) var rows: [String: Int64]

  /// Makes an interest.
  ///
  /// - Parameters:
  ///   - filter: The tables, operations and authors that matter.
  ///   - columns: The columns that matter.
  ///   - rows: The only rows that matter, by table.
  public init(
    _ filter: ChangeFilter = ChangeFilter(), columns: Columns = .any, rows: [String: Int64] = [:]
  ) {
    self.filter = filter
    self.columns = columns.folded
    self.rows = Dictionary(
      rows.map { (ChangeFilter.folded($0), $1) }, uniquingKeysWith: { first, _ in first })
  }
}

extension ChangeInterest.Columns {
  /// The same, with names as they are compared: in lower case of ASCII letters.
  fileprivate var folded: Self {
    switch self {
    case .any: .any
    case .named(let names): .named(Set(names.map(ChangeFilter.folded)))
    case .byTable(let tables):
      .byTable(
        Dictionary(
          tables.map { (ChangeFilter.folded($0), Set($1.map(ChangeFilter.folded))) },
          uniquingKeysWith: { $0.union($1) }))
    }
  }
}

extension ChangeInterest {
  /// What an interest means for the changes of one shape, worked out once.
  package struct Scope: Sendable {
    /// Whether the table matters at all.
    package let isWanted: Bool
    /// The places of the columns that an update has to change; nil for any.
    let places: [Int]?
    /// The place of the integer key and the value it must have.
    let row: (place: Int, key: Int64)?
  }

  /// What the interest means for a shape.
  ///
  /// - Parameter shape: The shape of a table.
  /// - Returns: The answer, to be kept as long as the shape is.
  package func scope(of shape: TableShape) -> Scope {
    let table = ChangeFilter.folded(shape.table)
    let names: Set<String>? =
      switch columns {
      case .any: nil
      case .named(let names): names
      case .byTable(let tables): tables[table]
      }
    let row = rows[table].flatMap { key -> (Int, Int64)? in
      shape.keyPlaces.count == 1 ? (shape.keyPlaces[0], key) : nil
    }
    return Scope(
      isWanted: filter.matches(table: shape.table),
      places: shape.capture == .keys
        ? nil
        : names.map { names in
          shape.columns.indices.filter {
            names.contains(ChangeFilter.folded(shape.columns[$0].name))
          }
        }, row: row)
  }

  /// Whether a change matters; its author is not looked at.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - values: The buffer that its places refer to.
  ///   - scope: What the interest means for the change's shape.
  /// - Returns: Whether it matters.
  /// - Complexity: O(*n*) for *n* bytes in the columns that matter.
  package func matches(
    _ change: RecordedChange, in values: CellBuffer, _ scope: Scope
  ) -> Bool {
    guard scope.isWanted, filter.matches(operation: change.operation) else { return false }
    if let (place, key) = scope.row {
      let isTheRow = [change.before, change.after].contains { row in
        guard let row else { return false }
        let cell = values.cells[row + place]
        return cell.storage == .integer && Int64(bitPattern: cell.payload) == key
      }
      if !isTheRow { return false }
    }
    guard change.operation == .update, let places = scope.places else { return true }
    return places.contains { change.differs(at: $0, in: values) }
  }
}
