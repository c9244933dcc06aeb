/// Looking into a value whose shape is not known: what is not there, or is something else, is nil.
///
/// ```swift
/// let since = request["since"]?.string
/// let authors = request["author"]?.array?.compactMap(\.string)
/// ```
extension JSONValue {
  /// The value of a member, if this is an object that has it.
  ///
  /// - Parameter name: The member's name.
  /// - Complexity: O(*n*) for *n* members before it.
  public subscript(name: String) -> JSONValue? { object?[name] }

  /// An element, if this is an array that is long enough.
  ///
  /// - Parameter index: The element's place, from 0.
  public subscript(index: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// Whether it is `null`.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The truth value, if it is one.
  public var boolean: Bool? {
    if case .boolean(let x) = self { x } else { nil }
  }

  /// The integer, if it was written as one that fits into 64 bits.
  public var integer: Int64? {
    if case .integer(let x) = self { x } else { nil }
  }

  /// The number as a double, if it is a number within a double's range.
  ///
  /// An integer beyond 2^53 is rounded.
  public var number: Double? {
    switch self {
    case .integer(let x): Double(x)
    case .real(let x): x
    case .outsized(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
    default: nil
    }
  }

  /// The string, if it is one.
  public var string: String? {
    if case .string(let x) = self { x } else { nil }
  }

  /// The elements, if it is an array.
  public var array: [JSONValue]? {
    if case .array(let x) = self { x } else { nil }
  }

  /// The object, if it is one.
  public var object: JSONObject? {
    if case .object(let x) = self { x } else { nil }
  }

  /// What kind of value it is, for a sentence such as "a string is expected, not a number".
  public var kind: String {
    switch self {
    case .null: "null"
    case .boolean: "a truth value"
    case .integer, .real, .outsized: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
