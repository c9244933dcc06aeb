/// A value as SQLite stores it, with its storage class.
///
/// Two values are equal only when they are the same to the last bit: `1` and `1.0` differ, so do
/// `0.0` and `-0.0`, and text is compared by its bytes, not by Unicode equivalence.
///
/// The storage classes are those of <https://www.sqlite.org/datatype3.html>.
public enum StoredValue: Sendable {
  /// SQL NULL.
  case null
  /// INTEGER, 64 bits, signed.
  case integer(Int64)
  /// REAL, an IEEE double; never NaN, which SQLite stores as NULL.
  case real(Double)
  /// TEXT that is valid UTF-8.
  case text(String)
  /// TEXT whose bytes are not valid UTF-8.
  case malformedText([UInt8])
  /// BLOB.
  case blob([UInt8])
}

extension StoredValue: Hashable {
  /// Whether two values are the same to the last bit.
  public static func == (a: StoredValue, b: StoredValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let x), .integer(let y)): x == y
    case (.real(let x), .real(let y)): x.bitPattern == y.bitPattern
    case (.text(let x), .text(let y)): x.utf8.elementsEqual(y.utf8)
    case (.malformedText(let x), .malformedText(let y)): x == y
    case (.blob(let x), .blob(let y)): x == y
    default: false
    }
  }

  /// Feeds the storage class and the bits into a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null:
      hasher.combine(0)
    case .integer(let x):
      hasher.combine(1)
      hasher.combine(x)
    case .real(let x):
      hasher.combine(2)
      hasher.combine(x.bitPattern)
    case .text(let x):
      hasher.combine(3)
      for byte in x.utf8 { hasher.combine(byte) }
    case .malformedText(let x):
      hasher.combine(4)
      hasher.combine(x)
    case .blob(let x):
      hasher.combine(5)
      hasher.combine(x)
    }
  }
}

extension StoredValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByNilLiteral
{
  /// An INTEGER.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A REAL.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// A TEXT.
  public init(stringLiteral value: String) { self = .text(value) }
  /// NULL.
  public init(nilLiteral: ()) { self = .null }
}

extension StoredValue {
  /// The integer, if that is what it is.
  public var integer: Int64? {
    if case .integer(let x) = self { x } else { nil }
  }

  /// The text, if it is text that is valid UTF-8.
  public var text: String? {
    if case .text(let x) = self { x } else { nil }
  }

  /// Whether it is NULL.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
