/// Values of one's own types as JSON, without Foundation.
///
/// ```swift
/// struct Facts: Codable { var open: Int, next: String? }
/// let value = try JSONValue(encoding: Facts(open: 3, next: nil))  // {"open":3}
/// let facts = try value.decode(Facts.self)
/// ```
extension JSONValue {
  /// Encodes a value.
  ///
  /// Integers keep every digit, also those beyond 64 bits; members stand in the order in which the
  /// type encodes them. Types that encode themselves as lists, as `Data` does with its bytes, become
  /// arrays.
  ///
  /// - Parameter value: The value.
  /// - Throws: `EncodingError` with the path, for a number that is not finite, for what is nested
  ///   more than 500 levels deep, and whatever the type throws.
  /// - Complexity: O(*n*) for *n* values in it.
  public init(encoding value: some Encodable) throws {
    self = try JSONValueEncoder.part(of: value, at: []).value
  }

  /// Decodes a value.
  ///
  /// Nothing is guessed: text is no number, and a number with a fraction is no integer. Members that
  /// a type does not ask for are passed over.
  ///
  /// - Parameter type: The type.
  /// - Returns: The decoded value.
  /// - Throws: `DecodingError` with the path to what does not fit, and without what stands there;
  ///   and whatever the type throws.
  /// - Complexity: O(*n*) for *n* values in it.
  public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONValueDecoder(self, []).decode(type)
  }
}

/// A key of a place in a list, or of what a type's superclass has encoded.
struct JSONKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }

  /// What a superclass is called where nobody gives it a name.
  static let superclass = JSONKey(stringValue: "super")
}
