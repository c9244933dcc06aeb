// One method for all types stands for those that the protocols name, but for the two widest
// integers, for which the protocols have implementations of their own that refuse.

/// The members of an object that is being encoded.
struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { node.set(.value(.null), for: key.stringValue) }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    let part = try JSONValueEncoder.part(of: value, at: codingPath + [key])
    node.set(part, for: key.stringValue)
  }

  func encode(_ value: Int128, forKey key: Key) throws {
    let part = try JSONValueEncoder.part(of: value, at: codingPath + [key])
    node.set(part, for: key.stringValue)
  }

  func encode(_ value: UInt128, forKey key: Key) throws {
    let part = try JSONValueEncoder.part(of: value, at: codingPath + [key])
    node.set(part, for: key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(for: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(for: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder(for: JSONKey.superclass) }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(for: key) }

  private func encoder(for key: some CodingKey) -> JSONValueEncoder {
    let nested = JSONNode()
    node.set(.node(nested), for: key.stringValue)
    return JSONValueEncoder(nested, at: codingPath + [key])
  }
}

/// The elements of an array that is being encoded.
struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  private var path: [any CodingKey] { codingPath + [JSONKey(intValue: count)] }

  func encodeNil() { node.append(.value(.null)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    node.append(try JSONValueEncoder.part(of: value, at: path))
  }

  func encode(_ value: Int128) throws {
    node.append(try JSONValueEncoder.part(of: value, at: path))
  }

  func encode(_ value: UInt128) throws {
    node.append(try JSONValueEncoder.part(of: value, at: path))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    encoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }

  func superEncoder() -> any Encoder { encoder() }

  private func encoder() -> JSONValueEncoder {
    let (nested, path) = (JSONNode(), path)
    node.append(.node(nested))
    return JSONValueEncoder(nested, at: path)
  }
}

/// A value that is encoded as another one.
struct JSONSingleEncoding: SingleValueEncodingContainer {
  let node: JSONNode
  let codingPath: [any CodingKey]

  func encodeNil() { node.set(.value(.null)) }

  func encode<Value: Encodable>(_ value: Value) throws {
    node.set(try JSONValueEncoder.part(of: value, at: codingPath))
  }

  func encode(_ value: Int128) throws {
    node.set(try JSONValueEncoder.part(of: value, at: codingPath))
  }

  func encode(_ value: UInt128) throws {
    node.set(try JSONValueEncoder.part(of: value, at: codingPath))
  }
}
