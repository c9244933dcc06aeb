public import HistoryModel

/// A change as a test compares it: names and values in place of places in a buffer.
public struct ChangeRecord: Sendable, Hashable {
  /// A column and its value.
  public struct Field: Sendable, Hashable {
    /// The column's name.
    public let name: String
    /// Its value.
    public let value: StoredValue
  }

  /// The table's name.
  public let table: String
  /// What happened.
  public let operation: HistoryModel.Operation
  /// The place in the whole transaction.
  public let index: Int
  /// The key, of the old row where there is one.
  public let key: [Field]
  /// The columns that an update changed.
  public let changed: [String]
  /// What is shown of the row before it; nil for an insert or where images are not captured.
  public let before: [Field]?
  /// What is shown of the row after it; nil for a delete or where images are not captured.
  public let after: [Field]?

  /// Copies a change out of a buffer.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - buffer: The buffer that its places refer to.
  ///   - index: Its place in the whole transaction.
  public init(_ change: RecordedChange, in buffer: CellBuffer, index: Int) {
    let shape = change.shape
    let fields = { (row: Int, places: [Int]) in
      places.map { Field(name: shape.columns[$0].name, value: buffer.value(at: row + $0)) }
    }
    table = shape.table
    operation = change.operation
    self.index = index
    key = fields(change.keyRow, shape.keyPlaces)
    guard shape.capture != .keys else {
      changed = []
      before = nil
      after = nil
      return
    }
    let differing = shape.imagePlaces.filter { change.differs(at: $0, in: buffer) }
    let isPartial = change.operation == .update && shape.capture == .changes
    let shown = isPartial ? differing : shape.imagePlaces
    changed = differing.map { shape.columns[$0].name }
    before = change.before.map { fields($0, shown) }
    after = change.after.map { fields($0, shown) }
  }
}

extension ChangeRecord: CustomStringConvertible {
  /// One short line, such as `update t[1] done=0>1`.
  ///
  /// The key stands in brackets. An unchanged column of an update, which only full capture has, is
  /// shown with its one value.
  public var description: String {
    let head = "\(operation) \(table)[\(key.map { Self.literal($0.value) }.joined(separator: ","))]"
    let text = { (field: Field) in "\(field.name)=\(Self.literal(field.value))" }
    var parts: [String] = []
    if let before, let after {
      parts = zip(before, after).map { old, new in
        changed.contains(old.name) ? "\(text(old))>\(Self.literal(new.value))" : text(old)
      }
    } else if let image = before ?? after {
      parts = image.map(text)
    }
    return parts.isEmpty ? head : head + " " + parts.joined(separator: " ")
  }

  /// A value as SQL would write it.
  static func literal(_ value: StoredValue) -> String {
    let hexadecimal = { (bytes: [UInt8]) in
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    return switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .malformedText(let bytes): "text'\(hexadecimal(bytes))'"
    case .blob(let bytes): "x'\(hexadecimal(bytes))'"
    }
  }
}
