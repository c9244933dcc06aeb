/// A run of consecutive rows that have the same value in one column.
///
/// Sections follow from the order of the rows: where the query does not sort by the column, one
/// value may have several.
public struct ResultsSection: Sendable, Hashable {
  /// The value that its rows share.
  public let value: StoredValue
  /// The places of its rows; never empty.
  public let range: Range<Int>

  /// Makes a section.
  ///
  /// - Parameters:
  ///   - value: The value that its rows share.
  ///   - range: The places of its rows.
  public init(value: StoredValue, range: Range<Int>) {
    self.value = value
    self.range = range
  }
}

extension ResultRows {
  /// The runs of rows with the same value, to the last bit, in a column.
  ///
  /// - Parameter column: The place of the column.
  /// - Returns: The sections, in order; together they cover all rows.
  /// - Complexity: O(*n*) for *n* bytes in the column.
  public func sections(by column: Int) -> [ResultsSection] {
    precondition(columns.indices.contains(column), "The rows have no such column.")
    var sections: [ResultsSection] = []
    var first = 0
    for row in indices {
      let next = row + 1
      if next < count,
        cells.buffer.isIdentical(start(of: row) + column, start(of: next) + column)
      {
        continue
      }
      let value = cells.buffer.value(at: start(of: row) + column)
      sections.append(ResultsSection(value: value, range: first..<next))
      first = next
    }
    return sections
  }
}
