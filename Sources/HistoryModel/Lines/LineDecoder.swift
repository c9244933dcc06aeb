/// Reads the lines of a stream: the inverse of what ``LineEncoder`` writes.
///
/// It is strict about what it knows: a field that is missing, is there twice or has another type, an
/// operation or a reason that there is not, a damaged token are errors. Kinds and fields that it
/// does not know it ignores, which is what lets the format grow.
///
/// ```swift
/// var decoder = LineDecoder()
/// while let line = try next() {
///   if case .transaction(let transaction) = try decoder.decode(line) { … }
/// }
/// ```
///
/// One decoder is for the lines of one stream: it remembers what its tables look like.
public struct LineDecoder: Sendable {
  private let limits: JSONValue.Limits
  var shapes = DecodedShapes()

  /// Makes a decoder that has seen nothing.
  ///
  /// - Parameter limit: How many bytes a line may have; a row's values alone may have a thousand
  ///   million.
  public init(limit: Int = 1 << 31) {
    limits = JSONValue.Limits(depth: 64, bytes: limit)
  }

  /// Reads a line.
  ///
  /// - Parameter line: The line, with or without its end.
  /// - Returns: What it says.
  /// - Throws: ``LineError``, which names the part of the line and never a value.
  /// - Complexity: O(*n*) for *n* bytes.
  public mutating func decode(_ line: ArraySlice<UInt8>) throws(LineError) -> StreamLine {
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue(parsing: line, limits: limits)
    } catch {
      throw LineError("\(error.reason) (column \(error.position.column))")
    }
    return try decode(value)
  }

  /// Reads a line that was read as JSON already.
  ///
  /// - Parameter line: The line's value.
  /// - Returns: What it says.
  /// - Throws: ``LineError``, which names the part of the line and never a value.
  /// - Complexity: O(*n*) for *n* bytes.
  public mutating func decode(_ line: JSONValue) throws(LineError) -> StreamLine {
    let fields = try LineFields(line)
    let kind = try fields.string("kind")
    switch kind {
    case "hello": return .hello(try Self.hello(fields))
    case "change": return .change(try change(fields))
    case "commit":
      return .commit(
        try Self.record(fields), changes: Int(try fields.count("changes")),
        token: try fields.token())
    case "transaction": return .transaction(try transaction(fields))
    case "bookmark": return .bookmark(try fields.token())
    case "snapshot-begin":
      return .snapshotBegin(try fields.token(), tables: try Self.tables(fields))
    case "row": return .row(try Self.row(fields))
    case "snapshot-end": return .snapshotEnd(try fields.token())
    case "schema", "gap":
      let event: CaptureNotice.Event =
        kind == "gap" ? .gap(try fields.word("reason")) : .schema(try Self.action(fields))
      return .notice(
        CaptureNotice(table: try fields.string("table"), event),
        token: try fields.tokenIfThere("token"))
    case "expired":
      return .expired(
        StreamLine.Expiry(
          requested: try fields.string("requested"), oldest: try fields.tokenIfThere("oldest"),
          head: try fields.tokenIfThere("head"), reason: try fields.word("reason")))
    case "bye":
      return .bye(
        StreamLine.Bye(
          reason: try fields.word("reason"),
          message: fields.object["message"] == nil ? nil : try fields.string("message"),
          token: try fields.tokenIfThere("token")))
    default: return .unknown(kind: kind)
    }
  }

  private static func hello(_ fields: LineFields) throws(LineError) -> StreamLine.Hello {
    guard try fields.count("format") == 1 else {
      throw LineError("this format is not known here", in: "format")
    }
    guard let epoch = UInt32(exactly: try fields.count("epoch")) else {
      throw LineError("it is too large", in: "epoch")
    }
    return StreamLine.Hello(
      store: try fields.store("store"), epoch: epoch, resume: try fields.word("resume"),
      token: try fields.token(), oldest: try fields.token("oldest"), head: try fields.token("head"))
  }

  private static func action(
    _ fields: LineFields
  ) throws(LineError) -> CaptureNotice.SchemaAction {
    switch try fields.string("action") {
    case "columns-added": .columnsAdded(try fields.strings("columns"))
    case "columns-removed": .columnsRemoved(try fields.strings("columns"))
    case "columns-renamed": .columnsRenamed(try fields.strings("columns"))
    case "table-renamed": .tableRenamed(try fields.string("to"))
    case "table-dropped": .tableDropped
    default: throw LineError("there is no such word here", in: "action")
    }
  }

  /// The tables of a snapshot; none when the line is silent about them.
  private static func tables(_ fields: LineFields) throws(LineError) -> [TableDefinition] {
    guard fields.object["tables"] != nil else { return [] }
    var tables: [TableDefinition] = []
    for element in try fields.array("tables") {
      let definition = try LineFields(element)
      tables.append(
        TableDefinition(
          table: try definition.string("table"), sql: try definition.string("sql")))
    }
    return tables
  }

  private static func row(_ fields: LineFields) throws(LineError) -> StreamLine.Row {
    StreamLine.Row(
      table: try fields.string("table"), key: try row("key", of: fields),
      values: try row("values", of: fields))
  }

  private static func row(
    _ name: String, of fields: LineFields
  ) throws(LineError) -> StoredRow {
    let members = try fields.object(name)
    var buffer = CellBuffer()
    try append(members, of: name, to: &buffer)
    return StoredRow(StoredRow.Cells(buffer), names: members.names, start: 0)
  }
}
