/// Decodes the value of one column.
struct StoredValueDecoder: Decoder, SingleValueDecodingContainer {
  let value: StoredValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ value: StoredValue, _ codingPath: [any CodingKey]) {
    self.value = value
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw mismatch([String: StoredValue].self)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .blob(let bytes) = value else { throw mismatch([UInt8].self) }
    return BlobContainer(bytes: bytes, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { value.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    if let known = type as? any ColumnValue.Type { return try convert(known, as: type) }
    if Self.isNumber(type) { return try number(type) }
    do {
      return try type.init(from: self)
    } catch is DecodingError {
      // What a type says when it refuses a value often quotes it.
      throw mismatch(type)
    }
  }

  // For these two the protocol has implementations of its own, which refuse.
  func decode(_ type: Int128.Type) throws -> Int128 { try number(type) }

  func decode(_ type: UInt128.Type) throws -> UInt128 { try number(type) }

  /// Converts the value by the rules of a type that columns can hold.
  func convert<Known: ColumnValue, T>(
    _ known: Known.Type, as type: T.Type
  ) throws(DecodingError) -> T {
    guard let value = Known(storedValue: value), let result = value as? T else {
      throw mismatch(type)
    }
    return result
  }

  /// Whether a type is a number that cannot be written to a column as it is, but may be read.
  ///
  /// Such a type else asks for itself for ever.
  private static func isNumber(_ type: Any.Type) -> Bool {
    type == Float.self || type is any FixedWidthInteger.Type
  }

  /// Converts to such a number: integers exactly, `Float` to the nearest in its range.
  private func number<T>(_ type: T.Type) throws(DecodingError) -> T {
    var number: Any?
    if let integer = type as? any FixedWidthInteger.Type {
      number = value.integer.flatMap { integer.init(exactly: $0) }
    } else {
      number = Double(storedValue: value).flatMap { wide in
        let narrow = Float(wide)
        return narrow.isFinite == wide.isFinite ? narrow : nil
      }
    }
    guard let result = number as? T else { throw mismatch(type) }
    return result
  }

  /// The error that the value is none of a type.
  func mismatch(_ type: Any.Type) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "The column holds \(storage), which is no \(type).")
    return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  private var storage: String {
    switch value {
    case .null: "NULL"
    case .integer: "an INTEGER"
    case .real: "a REAL"
    case .text: "TEXT"
    case .malformedText: "TEXT that is not valid UTF-8"
    case .blob: "a BLOB"
    }
  }
}

/// The bytes of a BLOB.
private struct BlobContainer: UnkeyedDecodingContainer {
  let bytes: [UInt8]
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(bytes: [UInt8], codingPath: [any CodingKey]) {
    self.bytes = bytes
    self.codingPath = codingPath
  }

  var count: Int? { bytes.count }
  var isAtEnd: Bool { currentIndex >= bytes.count }

  mutating func decodeNil() -> Bool { false }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    guard !isAtEnd, let byte = bytes[currentIndex] as? T else { throw mismatch(type) }
    currentIndex += 1
    return byte
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    throw mismatch([String: StoredValue].self)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw mismatch([UInt8].self)
  }

  mutating func superDecoder() throws -> any Decoder { throw mismatch([UInt8].self) }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    .typeMismatch(
      type,
      DecodingError.Context(
        codingPath: codingPath, debugDescription: "A BLOB is a list of bytes, each a UInt8."))
  }
}
