/// One row's change, as places in a ``CellBuffer``.
public struct RecordedChange: Sendable {
  /// The shape of the table when it was captured.
  public let shape: TableShape
  /// What happened.
  public let operation: Operation
  /// The first cell of the row after the change; nil for a delete.
  public let after: Int?
  /// The first cell of the row before the change; nil for an insert.
  public let before: Int?

  /// Makes a change.
  ///
  /// - Parameters:
  ///   - shape: The shape of the table.
  ///   - operation: What happened.
  ///   - after: The first cell of the row after it.
  ///   - before: The first cell of the row before it.
  public init(shape: TableShape, operation: Operation, after: Int?, before: Int?) {
    self.shape = shape
    self.operation = operation
    self.after = after
    self.before = before
  }

  /// The first cell of the row that the change's key is taken from: the old row, if there is one.
  public var keyRow: Int { before ?? after ?? 0 }

  /// Whether the value of a column differs between the two rows, to the last bit.
  ///
  /// - Parameters:
  ///   - place: The column's place in the shape.
  ///   - buffer: The buffer that the change's places refer to.
  /// - Returns: False when one of the rows is not there.
  /// - Complexity: O(*n*) for *n* bytes of text or blob.
  public func differs(at place: Int, in buffer: CellBuffer) -> Bool {
    guard let before, let after else { return false }
    return !buffer.isIdentical(before + place, after + place)
  }
}
