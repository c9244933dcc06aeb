/// Base64 as RFC 4648 writes it.
public enum Base64 {
  /// Which two characters stand for 62 and 63, and whether the end is padded.
  public enum Alphabet: Sendable {
    /// `+`, `/` and padding: what JSON readers expect of binary values.
    case standard
    /// `-`, `_` and no padding: safe in file names and arguments.
    case url
  }

  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let url = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Appends the text of bytes.
  ///
  /// - Parameters:
  ///   - content: What to write.
  ///   - alphabet: How to write it.
  ///   - output: Where to write it.
  public static func append(
    _ content: some Collection<UInt8>, _ alphabet: Alphabet, to output: inout [UInt8]
  ) {
    let digits = alphabet == .standard ? standard : url
    var pending: UInt32 = 0
    var held = 0
    for byte in content {
      pending = pending << 8 | UInt32(byte)
      held += 1
      if held == 3 {
        for shift: UInt32 in [18, 12, 6, 0] { output.append(digits[Int(pending >> shift & 63)]) }
        pending = 0
        held = 0
      }
    }
    guard held > 0 else { return }
    pending <<= held == 1 ? 16 : 8
    output.append(digits[Int(pending >> 18 & 63)])
    output.append(digits[Int(pending >> 12 & 63)])
    if held == 2 { output.append(digits[Int(pending >> 6 & 63)]) }
    if alphabet == .standard {
      for _ in held..<3 { output.append(UInt8(ascii: "=")) }
    }
  }

  /// Reads text.
  ///
  /// - Parameters:
  ///   - text: What to read.
  ///   - alphabet: How it is written.
  /// - Returns: The bytes, or nil when a character, the length or the padding cannot be, or when
  ///   left-over bits are set, so that one value has one text only.
  /// - Complexity: O(*n*) for *n* bytes of text.
  public static func decode(
    _ text: some Sequence<UInt8>, _ alphabet: Alphabet = .url
  ) -> [UInt8]? {
    let values = alphabet == .standard ? standardValues : urlValues
    var output: [UInt8] = []
    output.reserveCapacity(text.underestimatedCount / 4 * 3)
    var pending: UInt32 = 0
    var bits = 0
    var padding = 0
    for character in text {
      if character == UInt8(ascii: "="), alphabet == .standard {
        padding += 1
        continue
      }
      let digit = values[Int(character)]
      guard digit < 64, padding == 0 else { return nil }
      pending = pending << 6 | UInt32(digit)
      bits += 6
      if bits >= 8 {
        bits -= 8
        output.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
        pending &= (1 << UInt32(bits)) - 1
      }
    }
    // 2 bits are left over after three characters of a group, 4 after two, and 6 after one.
    guard bits < 6, pending == 0 else { return nil }
    return alphabet == .url || padding == bits / 2 ? output : nil
  }

  private static let standardValues = values(of: standard)
  private static let urlValues = values(of: url)

  /// What each byte stands for, 64 where it stands for nothing.
  private static func values(of digits: [UInt8]) -> [UInt8] {
    var values = [UInt8](repeating: 64, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    return values
  }
}
