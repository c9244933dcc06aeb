/// The members of an object that is being decoded.
struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  /// From how many members on they are found by an index and not one after the other.
  private static var indexed: Int { 16 }

  private let object: JSONObject
  private let places: [[UInt8]: Int]?
  let codingPath: [any CodingKey]

  init(_ object: JSONObject, _ codingPath: [any CodingKey]) {
    self.object = object
    self.codingPath = codingPath
    places =
      object.count < Self.indexed
      ? nil
      : Dictionary(
        zip(object.lazy.map { Array($0.name.utf8) }, object.indices),
        uniquingKeysWith: { a, _ in a })
  }

  var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { member(key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decoder(key).decode(type)
  }

  // For these two the protocol has implementations of its own, which refuse.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decoder(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try decoder(JSONKey.superclass) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func member(_ name: String) -> JSONValue? {
    guard let places else { return object[name] }
    return places[Array(name.utf8)].map { object[$0].value }
  }

  private func decoder(_ key: some CodingKey) throws(DecodingError) -> JSONValueDecoder {
    guard let value = member(key.stringValue) else {
      throw .keyNotFound(
        key,
        DecodingError.Context(
          codingPath: codingPath,
          debugDescription: "The object has no member \(key.stringValue)."))
    }
    return JSONValueDecoder(value, codingPath + [key])
  }
}

/// The elements of an array that is being decoded.
struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
  let elements: [JSONValue]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(elements: [JSONValue], codingPath: [any CodingKey]) {
    self.elements = elements
    self.codingPath = codingPath
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  mutating func decodeNil() throws -> Bool {
    guard try next(Never.self).decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try taking(type) { try $0.decode(type) }
  }

  // For these two the protocol has implementations of its own, which refuse.
  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try taking(type) { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try taking(type) { try $0.decode(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try taking(type) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try taking([JSONValue].self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try taking(JSONValue.self) { $0 } }

  /// Goes past the next element, unless it turns out to be of no use.
  private mutating func taking<Result>(
    _ type: Any.Type, _ body: (JSONValueDecoder) throws -> Result
  ) throws -> Result {
    let result = try body(next(type))
    currentIndex += 1
    return result
  }

  private func next(_ type: Any.Type) throws(DecodingError) -> JSONValueDecoder {
    let path = codingPath + [JSONKey(intValue: currentIndex)]
    guard !isAtEnd else {
      throw .valueNotFound(
        type, DecodingError.Context(codingPath: path, debugDescription: "The array ends before it.")
      )
    }
    return JSONValueDecoder(elements[currentIndex], path)
  }
}
