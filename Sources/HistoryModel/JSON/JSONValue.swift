/// A JSON value, as it stood in a text.
///
/// Nothing is lost on the way in: a number that is written as an integer stays one, and one that no
/// 64 bits can hold keeps its digits, so that a field nobody here knows never makes a line useless.
///
/// Two values are equal only when they are the same to the last bit, as for ``StoredValue``, and
/// objects only with their members in the same order.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number without point and exponent that fits into 64 bits.
  case integer(Int64)
  /// A number with a point or an exponent, as the nearest double; and `-0`, whose sign would be
  /// lost otherwise.
  case real(Double)
  /// A number that neither of them can hold, as it was written: an integer beyond 64 bits, or a
  /// number beyond the greatest double.
  case outsized(String)
  /// A string; it may contain U+0000.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

extension JSONValue: Equatable {
  /// Whether two values are the same to the last bit.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let x), .boolean(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.real(let x), .real(let y)): x.bitPattern == y.bitPattern
    case (.outsized(let x), .outsized(let y)): x == y
    case (.string(let x), .string(let y)): JSONObject.isSame(x, y)
    case (.array(let x), .array(let y)): x == y
    case (.object(let x), .object(let y)): x == y
    default: false
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .boolean(value) }
  /// An integer.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A real number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object with its members in the order of the literal, whose names must differ.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { .init(name: $0.0, value: $0.1) }))
  }
}
