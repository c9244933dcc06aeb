package import HistoryModel
package import SQLite

extension StoredRow {
  /// The rows of a statement, whose values share one buffer.
  ///
  /// - Parameter statement: A statement with its values bound.
  /// - Returns: The rows, in the order in which SQLite gave them.
  /// - Throws: ``SQLiteError`` when it fails.
  /// - Complexity: O(*n*) for *n* bytes of values.
  package static func all(of statement: Statement) throws(SQLiteError) -> [StoredRow] {
    var buffer = CellBuffer()
    var count = 0
    while try statement.step() {
      statement.appendCells(0..<statement.columnCount, to: &buffer)
      count += 1
    }
    let cells = StoredRow.Cells(buffer)
    let names = (0..<statement.columnCount).map(statement.columnName)
    return (0..<count).map { StoredRow(cells, names: names, start: $0 * names.count) }
  }
}
