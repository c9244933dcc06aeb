extension StoredRow: ExpressibleByDictionaryLiteral {
  /// A row of values of its own, in the order in which they are written.
  public init(dictionaryLiteral elements: (String, StoredValue)...) {
    var buffer = CellBuffer()
    for (_, value) in elements { buffer.append(value) }
    self.init(Cells(buffer), names: elements.map(\.0), start: 0)
  }
}
