/// Encodes one value, at one place of the whole.
struct JSONValueEncoder: Encoder {
  /// What has been encoded at a place: a value, or what is still being filled.
  enum Part {
    case value(JSONValue)
    case node(JSONNode)

    var value: JSONValue {
      switch self {
      case .value(let value): value
      case .node(let node): node.value
      }
    }
  }

  /// How many levels deep values may be nested: fewer than a reader of JSON accepts.
  private static let depthLimit = 500

  let node: JSONNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ node: JSONNode, at codingPath: [any CodingKey]) {
    self.node = node
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginObject()
    return KeyedEncodingContainer(JSONKeyedEncoding(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginArray()
    return JSONUnkeyedEncoding(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    JSONSingleEncoding(node: node, codingPath: codingPath)
  }

  /// Encodes a value of any type.
  static func part<Value: Encodable>(
    of value: Value, at path: [any CodingKey]
  ) throws -> Part {
    if let simple = try simple(value, at: path) { return .value(simple) }
    guard path.count < depthLimit else {
      // The value itself would say more than is anybody's business.
      throw EncodingError.invalidValue(
        Value.self, .init(codingPath: [], debugDescription: "It is nested too deeply."))
    }
    let node = JSONNode()
    try value.encode(to: JSONValueEncoder(node, at: path))
    return .node(node)
  }

  /// What JSON has a value of its own for; nil for everything else.
  private static func simple<Value: Encodable>(
    _ value: Value, at path: [any CodingKey]
  ) throws -> JSONValue? {
    switch value {
    case let x as String: .string(x)
    case let x as Bool: .boolean(x)
    case let x as any FixedWidthInteger: Int64(exactly: x).map { .integer($0) } ?? .outsized("\(x)")
    case let x as Double: try real(x, at: path)
    case let x as Float: try real(Double(x), at: path)
    default: nil
    }
  }

  private static func real(_ number: Double, at path: [any CodingKey]) throws -> JSONValue {
    guard number.isFinite else {
      throw EncodingError.invalidValue(
        number, .init(codingPath: path, debugDescription: "JSON has no number for \(number)."))
    }
    return .real(number)
  }
}

/// A place whose value is encoded bit by bit: containers keep it and fill it.
final class JSONNode {
  private enum Content {
    case nothing
    case value(JSONValueEncoder.Part)
    case object(names: [String], parts: [JSONValueEncoder.Part], places: [[UInt8]: Int])
    case array([JSONValueEncoder.Part])
  }

  private var content = Content.nothing

  /// What has been encoded so far; an object without members where nothing was.
  var value: JSONValue {
    switch content {
    case .nothing: .object(JSONObject())
    case .value(let part): part.value
    case .object(let names, let parts, _):
      .object(JSONObject(zip(names, parts).map { .init(name: $0, value: $1.value) }))
    case .array(let parts): .array(parts.map(\.value))
    }
  }

  /// How many elements there are.
  var count: Int { if case .array(let parts) = content { parts.count } else { 0 } }

  func beginObject() {
    switch content {
    case .nothing: content = .object(names: [], parts: [], places: [:])
    case .object: break
    default: preconditionFailure("A value encodes itself in one way.")
    }
  }

  func beginArray() {
    switch content {
    case .nothing: content = .array([])
    case .array: break
    default: preconditionFailure("A value encodes itself in one way.")
    }
  }

  func set(_ part: JSONValueEncoder.Part) {
    guard case .nothing = content else {
      preconditionFailure("A value encodes itself in one way.")
    }
    content = .value(part)
  }

  /// Sets a member, in the place of one that has the same name.
  func set(_ part: JSONValueEncoder.Part, for name: String) {
    guard case .object(var names, var parts, var places) = content else { return }
    // Otherwise all of it would be copied.
    content = .nothing
    let bytes = Array(name.utf8)
    if let place = places[bytes] {
      parts[place] = part
    } else {
      places[bytes] = names.count
      names.append(name)
      parts.append(part)
    }
    content = .object(names: names, parts: parts, places: places)
  }

  func append(_ part: JSONValueEncoder.Part) {
    guard case .array(var parts) = content else { return }
    content = .nothing
    parts.append(part)
    content = .array(parts)
  }
}
