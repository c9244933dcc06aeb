extension CellBuffer {
  /// Whether a cell and one of another buffer hold the same value to the last bit.
  ///
  /// - Parameters:
  ///   - cell: The index of the cell.
  ///   - otherCell: The index of the other.
  ///   - other: The buffer that the other is in.
  /// - Returns: Whether storage class and every bit are the same.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  public func isIdentical(_ cell: Int, to otherCell: Int, in other: CellBuffer) -> Bool {
    let x = cells[cell]
    let y = other.cells[otherCell]
    guard x.storage == y.storage, x.length == y.length else { return false }
    switch x.storage {
    case .null: return true
    case .integer, .real: return x.payload == y.payload
    case .text, .blob: return content(of: x).elementsEqual(other.content(of: y))
    }
  }

  /// Appends a copy of a cell of another buffer.
  ///
  /// - Parameters:
  ///   - index: The index of the cell.
  ///   - other: The buffer that it is in.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  public mutating func append(_ index: Int, of other: CellBuffer) {
    var cell = other.cells[index]
    if cell.storage == .text || cell.storage == .blob {
      let content = other.content(of: cell)
      cell.payload = UInt64(bytes.count)
      bytes.append(contentsOf: content)
    }
    cells.append(cell)
  }
}
