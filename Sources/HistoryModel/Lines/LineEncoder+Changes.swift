extension LineEncoder {
  /// Appends the line of a change.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - buffer: The buffer that its places refer to.
  ///   - index: Its place in the whole transaction.
  ///   - transaction: The transaction.
  /// - Complexity: O(*n*) for *n* bytes written.
  public mutating func change(
    _ change: RecordedChange, in buffer: CellBuffer, index: Int, of transaction: TransactionRecord
  ) {
    if transaction !== prefixed {
      prefixed = transaction
      prefix = Array(#"{"kind":"change","transaction":"#.utf8)
      JSONText.append(transaction.number, to: &prefix)
      prefix += #","index":"#.utf8
      middle = Array(#","author":"#.utf8)
      JSONText.append(transaction.author, to: &middle)
    }
    let shape = change.shape
    bytes.append(contentsOf: prefix)
    JSONText.append(Int64(index), to: &bytes)
    bytes.append(contentsOf: middle)
    switch change.operation {
    case .insert: bytes.append(contentsOf: shape.encodedHeads[0])
    case .update: bytes.append(contentsOf: shape.encodedHeads[1])
    case .delete: bytes.append(contentsOf: shape.encodedHeads[2])
    }
    object(shape.keyPlaces, of: shape, row: change.keyRow, in: buffer)
    if shape.capture != .keys { images(of: change, in: buffer) }
    end()
  }

  /// A change as it stands inside a grouped transaction: its line without the line's end.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - buffer: The buffer that its places refer to.
  ///   - index: Its place in the whole transaction.
  ///   - transaction: The transaction.
  /// - Returns: The bytes of one JSON object.
  public static func object(
    _ change: RecordedChange, in buffer: CellBuffer, index: Int, of transaction: TransactionRecord
  ) -> [UInt8] {
    var encoder = LineEncoder()
    encoder.change(change, in: buffer, index: index, of: transaction)
    encoder.bytes.removeLast()
    return encoder.bytes
  }

  private mutating func images(of change: RecordedChange, in buffer: CellBuffer) {
    let shape = change.shape
    let shown: [Int]
    if change.operation == .update {
      let changed = shape.columns.indices.filter { change.differs(at: $0, in: buffer) }
      bytes.append(contentsOf: Self.changed)
      for (count, place) in changed.enumerated() {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(contentsOf: shape.encodedNames[place])
      }
      bytes.append(UInt8(ascii: "]"))
      shown = shape.capture == .full ? shape.imagePlaces : changed
    } else {
      shown = shape.imagePlaces
    }
    if let row = change.before {
      bytes.append(contentsOf: Self.before)
      object(shown, of: shape, row: row, in: buffer)
    }
    if let row = change.after {
      bytes.append(contentsOf: Self.after)
      object(shown, of: shape, row: row, in: buffer)
    }
  }

  /// Appends the values of some columns of a row as an object.
  mutating func object(_ places: [Int], of shape: TableShape, row: Int, in buffer: CellBuffer) {
    guard let first = places.first else {
      bytes.append(UInt8(ascii: "{"))
      bytes.append(UInt8(ascii: "}"))
      return
    }
    bytes.append(contentsOf: shape.encodedFields.first[first])
    JSONText.append(buffer.cells[row + first], of: buffer, to: &bytes)
    for place in places.dropFirst() {
      bytes.append(contentsOf: shape.encodedFields.further[place])
      JSONText.append(buffer.cells[row + place], of: buffer, to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private static let changed = Array(#","changed":["#.utf8)
  private static let before = Array(#","before":"#.utf8)
  private static let after = Array(#","after":"#.utf8)
}

extension LineEncoder {
  /// Appends the line that ends a transaction.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - changes: How many of its changes were shown.
  ///   - token: The position after it.
  public mutating func commit(
    _ transaction: TransactionRecord, changes: Int, token: HistoryToken
  ) {
    text(#"{"kind":"commit""#)
    commitFields(transaction, token: token) { $0.number("changes", Int64(changes)) }
    end()
  }

  /// Appends a whole transaction as one line.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - changes: The encoded changes, parted by commas.
  ///   - token: The position after it.
  public mutating func transaction(
    _ transaction: TransactionRecord, changes: [UInt8], token: HistoryToken
  ) {
    text(#"{"kind":"transaction""#)
    commitFields(transaction, token: token) { _ in }
    text(#","changes":["#)
    bytes.append(contentsOf: changes)
    text("]")
    end()
  }

  /// Appends the line of a row of a snapshot.
  ///
  /// - Parameters:
  ///   - row: The first cell of the row.
  ///   - shape: The shape of its table.
  ///   - buffer: The buffer that the cell belongs to.
  public mutating func row(_ row: Int, of shape: TableShape, in buffer: CellBuffer) {
    text(#"{"kind":"row","table":"#)
    bytes.append(contentsOf: shape.encodedTable)
    text(#","key":"#)
    object(shape.keyPlaces, of: shape, row: row, in: buffer)
    text(#","values":"#)
    object(shape.imagePlaces, of: shape, row: row, in: buffer)
    end()
  }

  private mutating func commitFields(
    _ transaction: TransactionRecord, token: HistoryToken, _ counts: (inout LineEncoder) -> Void
  ) {
    number("transaction", transaction.number)
    counts(&self)
    text(#","author":"#)
    JSONText.append(transaction.author, to: &bytes)
    text(#","context":"#)
    JSONText.append(transaction.context, to: &bytes)
    text(transaction.isTagged ? #","tagged":true,"at":"# : #","tagged":false,"at":"#)
    if let timestamp = transaction.timestamp {
      bytes.append(UInt8(ascii: "\""))
      timestamp.append(to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    } else {
      text("null")
    }
    if let origin = transaction.origin {
      text(#","origin":""#)
      text(origin.description)
      text("\"")
      if let sequence = transaction.originSequence { number("originSequence", sequence) }
    }
    field("token", token)
  }

  private mutating func number(_ name: String, _ value: Int64) {
    text(",\"")
    text(name)
    text("\":")
    JSONText.append(value, to: &bytes)
  }
}
