/// A Swift type whose values a column can hold.
///
/// Conversions never guess: a value that the type cannot hold exactly is no value of it, so text is
/// no number, and 2.5 is no integer.
public protocol ColumnValue: Sendable {
  /// Makes a value of what is stored.
  ///
  /// - Parameter storedValue: The stored value; nil is returned where the type cannot hold it.
  init?(storedValue: StoredValue)

  /// What is stored for the value.
  var storedValue: StoredValue { get }
}

extension StoredValue: ColumnValue {
  /// Takes the value as it is.
  public init(storedValue: StoredValue) { self = storedValue }
  /// The value itself.
  public var storedValue: StoredValue { self }
}

extension ColumnValue where Self: FixedWidthInteger {
  /// An INTEGER that fits.
  public init?(storedValue: StoredValue) {
    guard let integer = storedValue.integer else { return nil }
    self.init(exactly: integer)
  }

  /// An INTEGER.
  ///
  /// SQLite has none beyond 63 bits and a sign; a larger one traps, as any conversion that loses
  /// digits does.
  public var storedValue: StoredValue { .integer(Int64(self)) }
}

extension Int: ColumnValue {}
extension Int64: ColumnValue {}
extension Int32: ColumnValue {}
extension Int16: ColumnValue {}
extension Int8: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt8: ColumnValue {}

extension Bool: ColumnValue {
  /// The INTEGER 0 or 1, which is how SQLite keeps truth.
  public init?(storedValue: StoredValue) {
    switch storedValue {
    case .integer(0): self = false
    case .integer(1): self = true
    default: return nil
    }
  }

  /// The INTEGER 0 or 1.
  public var storedValue: StoredValue { .integer(self ? 1 : 0) }
}

extension Double: ColumnValue {
  /// A REAL, or an INTEGER that a double holds exactly.
  public init?(storedValue: StoredValue) {
    switch storedValue {
    case .real(let number): self = number
    case .integer(let number): self.init(exactly: number)
    default: return nil
    }
  }

  /// A REAL.
  public var storedValue: StoredValue { .real(self) }
}

extension String: ColumnValue {
  /// TEXT that is valid UTF-8.
  public init?(storedValue: StoredValue) {
    guard let text = storedValue.text else { return nil }
    self = text
  }

  /// TEXT.
  public var storedValue: StoredValue { .text(self) }
}

extension [UInt8]: ColumnValue {
  /// A BLOB.
  public init?(storedValue: StoredValue) {
    guard case .blob(let bytes) = storedValue else { return nil }
    self = bytes
  }

  /// A BLOB.
  public var storedValue: StoredValue { .blob(self) }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  /// NULL as nil, else what the wrapped type makes of it.
  public init?(storedValue: StoredValue) {
    if storedValue.isNull {
      self = .none
    } else {
      guard let value = Wrapped(storedValue: storedValue) else { return nil }
      self = value
    }
  }

  /// NULL for nil.
  public var storedValue: StoredValue { self?.storedValue ?? .null }
}
