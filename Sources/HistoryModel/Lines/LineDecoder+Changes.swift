extension LineDecoder {
  /// More columns a table of SQLite cannot have.
  private static let columnLimit = 32767

  mutating func change(_ fields: LineFields) throws(LineError) -> StreamLine.Change {
    let number = try fields.count("transaction")
    let index = Int(try fields.count("index"))
    let author = try fields.stringOrNull("author")
    return StreamLine.Change(
      transaction: number, author: author, change: try rowChange(fields, index: index))
  }

  mutating func transaction(_ fields: LineFields) throws(LineError) -> HistoryTransaction {
    let record = try Self.record(fields)
    var collector = TransactionCollector()
    var last = -1
    for (place, element) in try fields.array("changes").enumerated() {
      do throws(LineError) {
        let fields = try LineFields(element)
        guard try fields.string("kind") == "change" else {
          throw LineError("a change is expected", in: "kind")
        }
        let change = try change(fields)
        guard change.transaction == record.number else {
          throw LineError("it is that of another transaction", in: "transaction")
        }
        guard change.author == record.author else {
          throw LineError("it is that of another transaction", in: "author")
        }
        guard change.change.index > last else {
          throw LineError("it does not grow", in: "index")
        }
        last = change.change.index
        collector.append(change.change)
      } catch {
        throw error.inside("changes, element \(place + 1)")
      }
    }
    collector.commit(record, token: try fields.token())
    guard let transaction = collector.transactions().first else {
      preconditionFailure("What was committed is whole.")
    }
    return transaction
  }

  static func record(_ fields: LineFields) throws(LineError) -> TransactionRecord {
    let author = try fields.stringOrNull("author")
    let isTagged = try fields.boolean("tagged")
    guard isTagged == (author != nil) else {
      throw LineError("a transaction is tagged when it has an author", in: "tagged")
    }
    var timestamp: CalendarTime?
    if let text = try fields.stringOrNull("at") {
      timestamp = CalendarTime(text)
      if timestamp == nil { throw LineError("a time in UTC is expected", in: "at") }
    }
    return TransactionRecord(
      number: try fields.count("transaction"), author: author,
      context: try fields.stringOrNull("context"), isTagged: isTagged, timestamp: timestamp,
      origin: fields.object["origin"] == nil ? nil : try fields.store("origin"),
      originSequence: fields.object["originSequence"] == nil
        ? nil : try fields.count("originSequence"))
  }

  /// Reads what a change line says of its row.
  private mutating func rowChange(
    _ fields: LineFields, index: Int
  ) throws(LineError) -> HistoryChange {
    let table = try fields.string("table")
    let operation: Operation = try fields.word("op")
    let key = try fields.object("key")
    guard !key.isEmpty else { throw LineError("a key has a column", in: "key") }
    let before = try Self.image("before", of: fields, isAllowed: operation != .insert)
    let after = try Self.image("after", of: fields, isAllowed: operation != .delete)
    guard operation != .update || (before == nil) == (after == nil) else {
      throw LineError("it is missing", in: before == nil ? "before" : "after")
    }
    let image = before ?? after
    if let before, let after, !Self.haveSameNames(before, after) {
      throw LineError("it has other columns than before", in: "after")
    }
    let hidden = image.map { Self.hidden(key, in: $0) } ?? Array(key)
    var buffer = CellBuffer()
    var starts: [Int?] = [nil, nil]
    let isBoth = operation == .update
    for (place, row) in [before, after].enumerated()
    where row != nil || isBoth || place == (operation == .insert ? 1 : 0) {
      starts[place] = buffer.cells.count
      if let row { try Self.append(row, of: place == 0 ? "before" : "after", to: &buffer) }
      try Self.append(hidden, of: "key", to: &buffer)
    }
    let capture = try Self.capture(fields, operation, image, in: buffer, after: starts[1])
    let shape = shapes.shape(
      table: table, capture: capture, image: image, key: key, hidden: hidden)
    return HistoryChange(
      RecordedChange(
        shape: shape, operation: operation, after: starts[1], before: starts[0]),
      in: StoredRow.Cells(buffer), index: index)
  }

  private static func image(
    _ name: String, of fields: LineFields, isAllowed: Bool
  ) throws(LineError) -> JSONObject? {
    guard fields.object[name] != nil else { return nil }
    guard isAllowed else { throw LineError("this operation does not have it", in: name) }
    return try fields.object(name)
  }

  /// What was captured, told by what the line shows.
  ///
  /// The columns that an update changed are found by their values later, so they have to be those
  /// that the line names.
  private static func capture(
    _ fields: LineFields, _ operation: Operation, _ image: JSONObject?, in buffer: CellBuffer,
    after: Int?
  ) throws(LineError) -> Capture {
    guard operation == .update, let image else {
      guard fields.object["changed"] == nil else {
        throw LineError("only an update with images has it", in: "changed")
      }
      return image == nil ? .keys : .changes
    }
    var named = try fields.array("changed")[...]
    let count = named.count
    for place in 0..<image.count where !buffer.isIdentical(place, place + (after ?? 0)) {
      guard let name = named.popFirst()?.string, JSONObject.isSame(name, image[place].name) else {
        throw LineError("it does not name the columns whose values differ", in: "changed")
      }
    }
    guard named.isEmpty else {
      throw LineError("it does not name the columns whose values differ", in: "changed")
    }
    return count == image.count ? .changes : .full
  }

  /// The key's columns that an image does not show.
  private static func hidden(_ key: JSONObject, in image: JSONObject) -> [JSONObject.Member] {
    guard key.count > 16, image.count > 16 else { return key.filter { !image.contains($0) } }
    var shown: [StoredValue: JSONValue] = [:]
    for member in image { shown[.text(member.name)] = member.value }
    return key.filter { shown[.text($0.name)] != $0.value }
  }

  private static func haveSameNames(_ a: JSONObject, _ b: JSONObject) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { JSONObject.isSame($0.name, $1.name) }
  }

  /// Appends the values of a row.
  static func append(
    _ members: some Collection<JSONObject.Member>, of part: String, to buffer: inout CellBuffer
  ) throws(LineError) {
    guard members.count <= columnLimit else {
      throw LineError("a table cannot have so many columns", in: part)
    }
    var place = 0
    for member in members {
      place += 1
      guard let value = StoredValue(wire: member.value) else {
        throw LineError("column \(place) has no value that SQLite stores", in: part)
      }
      buffer.append(value)
    }
  }
}

extension TransactionCollector {
  /// Takes in a change of the transaction being read.
  package mutating func append(_ change: HistoryChange) {
    append(change.recorded, in: change.cells.buffer, index: change.index)
  }
}
