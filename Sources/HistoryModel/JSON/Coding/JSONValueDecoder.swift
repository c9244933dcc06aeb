/// Decodes one value, at one place of the whole.
struct JSONValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: JSONValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: JSONValue, _ codingPath: [any CodingKey]) {
    self.value = value
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let object = value.object else { throw mismatch([String: JSONValue].self, "an object") }
    return KeyedDecodingContainer(JSONKeyedDecoding(object, codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.array else { throw mismatch([JSONValue].self, "an array") }
    return JSONUnkeyedDecoding(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if let integer = type as? any FixedWidthInteger.Type {
      return try known(integer.init(json: value), "an integer that it can hold")
    }
    if type == String.self { return try known(value.string, "a string") }
    if type == Bool.self { return try known(value.boolean, "a truth value") }
    if type == Double.self { return try known(value.number, "a number") }
    if type == Float.self {
      let number = value.number.map { Float($0) }.flatMap { $0.isFinite ? $0 : nil }
      return try known(number, "a number that it can hold")
    }
    return try type.init(from: self)
  }

  // For these two the protocol has implementations of its own, which refuse.
  func decode(_ type: Int128.Type) throws -> Int128 {
    try known(Int128(json: value), "an integer that it can hold")
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try known(UInt128(json: value), "an integer that it can hold")
  }

  private func known<Value>(_ found: Any?, _ wanted: String) throws(DecodingError) -> Value {
    guard let found = found as? Value else { throw mismatch(Value.self, wanted) }
    return found
  }

  /// The error that another kind of value is needed; it does not say what stands there.
  func mismatch(_ type: Any.Type, _ wanted: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "\(type) needs \(wanted), not \(value.kind).")
    return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

extension FixedWidthInteger {
  /// Reads a number without a fraction that the type can hold.
  ///
  /// Languages with one kind of number write 1 as 1.0 where they please.
  fileprivate init?(json value: JSONValue) {
    switch value {
    case .integer(let x): self.init(exactly: x)
    case .real(let x): self.init(exactly: x)
    case .outsized(let text): self.init(text)
    default: return nil
    }
  }
}
