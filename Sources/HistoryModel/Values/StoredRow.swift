/// The named values of one row, as they are stored.
///
/// Rows that were read together share their memory, so a row is cheap to copy and keeps all of them
/// alive. Columns are found by name in any case of ASCII letters, as SQLite finds them.
public struct StoredRow: Sendable {
  /// Values that several rows share.
  package final class Cells: Sendable {
    package let buffer: CellBuffer

    package init(_ buffer: CellBuffer) { self.buffer = buffer }
  }

  package let cells: Cells
  /// The names of all columns that the row could have.
  private let names: [String]
  /// The cell of the first of ``names``.
  package let start: Int
  /// The places among ``names`` that the row does have; nil for all.
  private let places: [Int]?

  package init(_ cells: Cells, names: [String], start: Int, places: [Int]? = nil) {
    self.cells = cells
    self.names = names
    self.start = start
    self.places = places
  }

  /// A row of values of its own.
  ///
  /// - Parameter values: Names and values, in order.
  public init(_ values: KeyValuePairs<String, StoredValue>) {
    var buffer = CellBuffer()
    for (_, value) in values { buffer.append(value) }
    self.init(Cells(buffer), names: values.map(\.key), start: 0)
  }

  /// How many columns it has.
  public var count: Int { places?.count ?? names.count }

  /// Whether it has no column.
  public var isEmpty: Bool { count == 0 }

  /// The names of its columns, in order.
  ///
  /// - Complexity: O(*n*) for *n* columns where it has only some of those that it could have.
  public var columns: [String] { places.map { $0.map { names[$0] } } ?? names }

  /// The values of its columns, in order.
  ///
  /// - Complexity: O(*n*) for *n* bytes in them.
  public var values: [StoredValue] { (0..<count).map { self[$0] } }

  /// The place of a column.
  ///
  /// - Parameter column: Its name, in any case of ASCII letters.
  /// - Returns: The place of the first column of that name, from 0; nil if there is none.
  /// - Complexity: O(*n*) for *n* columns.
  public func place(of column: String) -> Int? {
    (0..<count).first { ChangeFilter.isSameName(names[placeInNames($0)], column) }
  }

  /// The value at a place.
  ///
  /// - Parameter place: The place, from 0 to below ``count``.
  public subscript(place: Int) -> StoredValue { cells.buffer.value(at: cell(at: place)) }

  /// The value of a column; nil when the row does not have the column.
  ///
  /// - Parameter column: Its name, in any case of ASCII letters.
  /// - Complexity: O(*n*) for *n* columns.
  public subscript(column: String) -> StoredValue? { place(of: column).map { self[$0] } }

  /// The value of a column as a type.
  ///
  /// ```swift
  /// change.after["title", as: String.self]
  /// ```
  ///
  /// - Parameters:
  ///   - column: Its name, in any case of ASCII letters.
  ///   - type: The type wanted; an optional one tells NULL (`.some(nil)`) from absence (nil).
  /// - Returns: The value; nil when the row does not have the column, or the type cannot hold what
  ///   is stored.
  /// - Complexity: O(*n*) for *n* columns.
  public subscript<Value: ColumnValue>(column: String, as type: Value.Type) -> Value? {
    self[column].flatMap { Value(storedValue: $0) }
  }

  /// The index in the shared values of the cell at a place.
  package func cell(at place: Int) -> Int { start + placeInNames(place) }

  private func placeInNames(_ place: Int) -> Int {
    guard let places else {
      precondition(names.indices.contains(place), "The row has no such place.")
      return place
    }
    return places[place]
  }
}

extension StoredRow: Hashable {
  /// Whether two rows have the same columns with the same values, to the last bit.
  public static func == (a: StoredRow, b: StoredRow) -> Bool {
    a.columns == b.columns && a.values == b.values
  }

  /// Feeds the values into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension StoredRow: CustomStringConvertible {
  /// The names of the columns; values stay out of logs.
  public var description: String { "StoredRow(\(columns.joined(separator: ", ")))" }
}
