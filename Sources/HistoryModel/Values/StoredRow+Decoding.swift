extension StoredRow {
  /// Decodes the row as a type.
  ///
  /// Columns are found by the names of the coding keys, in any case of ASCII letters; of two that
  /// have the same name the first is taken. Values are converted as ``ColumnValue`` does it:
  /// nothing is guessed, so text is no number. A NULL or a missing column is nil for an optional.
  /// Arrays of bytes, and types that decode themselves from one, are read from a BLOB. A row with a
  /// single column can also be decoded as a plain value.
  ///
  /// ```swift
  /// struct Item: Decodable { var id: Int, title: String, done: Bool, due: String? }
  /// let items = try rows.map { try $0.decode(Item.self) }
  /// ```
  ///
  /// - Parameter type: The type.
  /// - Returns: The decoded value.
  /// - Throws: `DecodingError` with the path to the column, and without its value, which is nobody
  ///   else's business.
  public func decode<Value: Decodable>(_ type: Value.Type) throws(DecodingError) -> Value {
    do {
      if count == 1, let single = type as? any ColumnValue.Type {
        return try StoredValueDecoder(self[0], []).convert(single, as: type)
      }
      return try type.init(from: StoredRowDecoder(row: self))
    } catch DecodingError.dataCorrupted(let context) {
      // What a type says when it refuses a value often quotes it.
      throw .dataCorrupted(
        DecodingError.Context(
          codingPath: context.codingPath, debugDescription: "The value is no \(type)."))
    } catch let error as DecodingError {
      throw error
    } catch {
      throw .dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "The row is no \(type).", underlyingError: error))
    }
  }
}

/// Decodes the columns of a row by their names.
struct StoredRowDecoder: Decoder {
  let row: StoredRow
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(row: row))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try single("a list").unkeyedContainer()
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    try single("a single value")
  }

  /// The value of a row that has one column.
  private func single(_ what: String) throws(DecodingError) -> StoredValueDecoder {
    guard row.count == 1 else {
      throw .typeMismatch(
        StoredValue.self,
        DecodingError.Context(
          codingPath: [], debugDescription: "A row of \(row.count) columns is not \(what)."))
    }
    return StoredValueDecoder(row[0], [])
  }
}

/// The columns of a row, by key.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let row: StoredRow
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { row.columns.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { row.place(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try decoder(key).decode(type)
  }

  // For these two the protocol has implementations of its own, which refuse.
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decoder(key).decode(type)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decoder(key).decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try decoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { StoredRowDecoder(row: row) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

  private func decoder(_ key: Key) throws(DecodingError) -> StoredValueDecoder {
    guard let place = row.place(of: key.stringValue) else {
      throw .keyNotFound(
        key,
        DecodingError.Context(
          codingPath: [], debugDescription: "The row has no column \(key.stringValue)."))
    }
    return StoredValueDecoder(row[place], [key])
  }
}
