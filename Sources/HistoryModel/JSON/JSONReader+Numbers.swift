extension JSONReader {
  /// The digits of a number while they are read.
  private struct Digits {
    /// All digits without the point, as far as 64 bits hold them.
    var mantissa: UInt64 = 0
    /// Whether they hold all of them.
    var isExact = true
    /// How many digits stood after the point.
    var places = 0

    @inline(__always)
    mutating func append(_ byte: UInt8) {
      let (tens, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt64(byte &- UInt8(ascii: "0")))
      if overflow || carry { isExact = false }
      mantissa = sum
    }
  }

  /// Reads a number whose sign or first digit is the next byte.
  mutating func number() throws(JSONError) -> JSONValue {
    let begin = place
    let isNegative = take(UInt8(ascii: "-"))
    var digits = Digits()
    let zero = take(UInt8(ascii: "0"))
    if zero {
      guard !isDigit else { throw fault(.leadingZero) }
    } else {
      try takeDigits(&digits)
    }
    let isInteger = current != UInt8(ascii: ".") && current | 0x20 != UInt8(ascii: "e")
    if isInteger {
      if zero { return isNegative ? .real(-0.0) : .integer(0) }
      if digits.isExact, let integer = Self.integer(digits.mantissa, isNegative) {
        return .integer(integer)
      }
      return .outsized(String(decoding: bytes[begin..<place], as: UTF8.self))
    }
    if take(UInt8(ascii: ".")) {
      let point = place
      try takeDigits(&digits)
      digits.places = place - point
    }
    let exponent = try takeExponent()
    return real(digits, exponent, isNegative, from: begin)
  }

  private static func integer(_ magnitude: UInt64, _ isNegative: Bool) -> Int64? {
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  private var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= current }

  private mutating func takeDigits(_ digits: inout Digits) throws(JSONError) {
    guard isDigit else { throw fault(.digitExpected) }
    repeat {
      digits.append(bytes[place])
      place += 1
    } while isDigit
  }

  /// Reads an exponent if there is one.
  ///
  /// - Returns: The exponent, or nil for one of so many digits that it is of no use.
  private mutating func takeExponent() throws(JSONError) -> Int? {
    guard current | 0x20 == UInt8(ascii: "e") else { return 0 }
    place += 1
    let isNegative = take(UInt8(ascii: "-"))
    if !isNegative { _ = take(UInt8(ascii: "+")) }
    var digits = Digits()
    try takeDigits(&digits)
    guard digits.isExact, digits.mantissa < 10000 else { return nil }
    return isNegative ? -Int(digits.mantissa) : Int(digits.mantissa)
  }

  private func real(
    _ digits: Digits, _ exponent: Int?, _ isNegative: Bool, from begin: Int
  ) -> JSONValue {
    // Up to 2^53 and 10^22 both operands are exact, so one operation rounds once, which is right.
    if digits.isExact, digits.mantissa <= 1 << 53, let exponent {
      let power = exponent - digits.places
      if (-22...22).contains(power) {
        let mantissa = Double(digits.mantissa)
        let number =
          power < 0 ? mantissa / Self.powersOfTen[-power] : mantissa * Self.powersOfTen[power]
        return .real(isNegative ? -number : number)
      }
    }
    let text = String(decoding: bytes[begin..<place], as: UTF8.self)
    // Swift rounds correctly whatever the number of digits, and calls what is too great infinite.
    guard let number = Double(text), number.isFinite else { return .outsized(text) }
    return .real(number)
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
