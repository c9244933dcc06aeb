/// The rows that a query gave at one moment, in its order.
///
/// They share their memory: a row taken out is cheap to copy and keeps all of them alive. Two are
/// equal only when columns, order and every bit are the same.
public struct ResultRows: Sendable {
  /// The names of the columns, in order; no two are the same.
  public let columns: [String]
  /// How many rows there are.
  public let count: Int
  package let cells: StoredRow.Cells

  /// Takes over the values of rows.
  ///
  /// - Parameters:
  ///   - buffer: The values, row by row.
  ///   - columns: The names of the columns, of which there is at least one.
  package init(_ buffer: CellBuffer, columns: [String]) {
    self.columns = columns
    count = columns.isEmpty ? 0 : buffer.cells.count / columns.count
    cells = StoredRow.Cells(buffer)
  }

  /// Rows of values of one's own, for tests and for programs that have none yet.
  ///
  /// - Parameters:
  ///   - columns: The names of the columns.
  ///   - rows: The rows, each with a value for every column; what is beyond is left out, and what
  ///     is missing is NULL.
  public init(columns: [String] = [], rows: [[StoredValue]] = []) {
    var buffer = CellBuffer()
    for row in rows {
      for place in columns.indices { buffer.append(place < row.count ? row[place] : .null) }
    }
    self.init(buffer, columns: columns)
  }

  /// The place of a column.
  ///
  /// - Parameter column: Its name, in any case of ASCII letters.
  /// - Returns: The place of the first column of that name, from 0; nil if there is none.
  public func place(of column: String) -> Int? {
    columns.firstIndex { ChangeFilter.isSameName($0, column) }
  }

  /// The index in the shared values of the first cell of a row.
  func start(of row: Int) -> Int { row * columns.count }

  /// Names of which no two are the same: a repeated one gets a number, as SQLite does it for the
  /// columns of a subquery.
  ///
  /// - Parameter names: Names, such as those of a join of two tables that both have an `id`.
  /// - Returns: The names, `id`, `id:1` and so on.
  package static func distinct(_ names: [String]) -> [String] {
    var taken: Set<String> = Set(names.map(ChangeFilter.folded))
    var seen: Set<String> = []
    return names.map { name in
      if seen.insert(ChangeFilter.folded(name)).inserted { return name }
      var number = 1
      while !taken.insert(ChangeFilter.folded("\(name):\(number)")).inserted { number += 1 }
      return "\(name):\(number)"
    }
  }
}

extension ResultRows: RandomAccessCollection {
  /// The place of the first row.
  public var startIndex: Int { 0 }
  /// The place after the last row.
  public var endIndex: Int { count }

  /// The row at a place.
  ///
  /// - Parameter place: The place, from 0 to below ``count``.
  public subscript(place: Int) -> StoredRow {
    precondition(indices.contains(place), "There is no such row.")
    return StoredRow(cells, names: columns, start: start(of: place))
  }
}

extension ResultRows: Hashable {
  /// Whether two have the same columns and the same rows, to the last bit.
  ///
  /// - Complexity: O(*n*) for *n* bytes of values, unless they share their memory.
  public static func == (a: ResultRows, b: ResultRows) -> Bool {
    guard a.count == b.count, a.hasSameColumns(as: b) else { return false }
    if a.cells === b.cells { return true }
    return (0..<a.count * a.columns.count).allSatisfy {
      a.cells.buffer.isIdentical($0, to: $0, in: b.cells.buffer)
    }
  }

  /// Feeds the count and the values of the first row into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if let first { hasher.combine(first) }
  }

  /// Whether the columns have the same names, to the byte.
  func hasSameColumns(as other: ResultRows) -> Bool {
    columns.elementsEqual(other.columns) { $0.utf8.elementsEqual($1.utf8) }
  }
}

extension ResultRows: CustomStringConvertible {
  /// The names of the columns and how many rows there are; values stay out of logs.
  public var description: String {
    "ResultRows(\(columns.joined(separator: ", ")): \(count))"
  }
}
