/// The identity of one store: a UUID made when it is first tracked.
public struct StoreIdentifier: Hashable, Sendable, CustomStringConvertible {
  /// The sixteen bytes.
  public let bytes: [UInt8]

  /// Makes a new, random identity.
  public init() {
    var generator = SystemRandomNumberGenerator()
    var bytes: [UInt8] = []
    for _ in 0..<2 {
      let word = generator.next()
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
    }
    // Version 4, variant 1 of RFC 9562: random, and recognisable as such.
    bytes[6] = (bytes[6] & 0x0f) | 0x40
    bytes[8] = (bytes[8] & 0x3f) | 0x80
    self.bytes = bytes
  }

  /// Makes an identity of sixteen bytes.
  ///
  /// - Parameter bytes: The bytes; nil is returned unless there are sixteen.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.bytes = Array(bytes)
  }

  /// Reads an identity from its hyphenated text.
  ///
  /// - Parameter text: A UUID such as `6f0e4d1c-…`; nil is returned for anything else.
  public init?(_ text: some StringProtocol) {
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text.utf8 where character != UInt8(ascii: "-") {
      guard let digit = Self.digit(character) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil, bytes.count == 16, text.utf8.count == 36 else { return nil }
    self.bytes = bytes
  }

  /// The hyphenated text, in lower case.
  public var description: String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for (place, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(place) { text.append("-") }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
