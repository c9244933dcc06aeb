/// A text that is a number followed by a unit, such as `10s`, `64MB` or `50/day`.
///
/// The command line and the server's configuration file read the same forms by it.
package struct MeasuredText: Hashable, Sendable {
  /// Why a text is not the measure that it should be.
  package enum Fault: Error, Hashable, Sendable {
    /// It does not have the form.
    case malformed
    /// It has the form, and says more than can be; with the most that can.
    case tooLarge(limit: String)
  }

  /// The digits.
  private let digits: Substring
  /// What follows them.
  private let unit: Substring

  /// Takes a text apart.
  private init(_ text: String) throws(Fault) {
    let digits = text.utf8.prefix { (0x30...0x39).contains($0) }
    guard !digits.isEmpty, digits.endIndex < text.endIndex else { throw .malformed }
    self.digits = text[..<digits.endIndex]
    unit = text[digits.endIndex...]
  }

  /// The number times what its unit stands for.
  private func product(_ factor: Int?, limit: Int) throws(Fault) -> Int {
    guard let factor else { throw .malformed }
    let (product, overflow) = (Int(digits) ?? .max).multipliedReportingOverflow(by: factor)
    guard Int(digits) != nil, !overflow, product <= limit else {
      throw .tooLarge(limit: "\(limit / factor)\(unit)")
    }
    return product
  }
}

extension MeasuredText {
  /// Milliseconds in a hundred years: more is a slip, and could not be added to a date.
  private static let longest = 36_525 * 86_400_000
  /// The units of time in milliseconds, the longest first.
  private static let times = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]
  /// The units of size in bytes, the largest first.
  private static let sizes = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]

  /// Reads a time such as `250ms`, `10s`, `5m`, `2h` or `7d`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The time, a hundred years at most.
  /// - Throws: ``Fault`` if it is none, or longer.
  package static func duration(_ text: String) throws(Fault) -> Duration {
    let measured = try MeasuredText(text)
    let factor = times.first { $0.0 == measured.unit }?.1
    return .milliseconds(try measured.product(factor, limit: longest))
  }

  /// Reads a size such as `64KB`, `64MB` or `1GB`, with units in any letter case; 1 KB is 1024
  /// bytes.
  ///
  /// - Parameter text: The text.
  /// - Returns: The size in bytes.
  /// - Throws: ``Fault`` if it is none, or too large for an integer.
  package static func bytes(_ text: String) throws(Fault) -> Int {
    let measured = try MeasuredText(text)
    let unit = measured.unit.uppercased()
    return try measured.product(sizes.first { $0.0 == unit }?.1, limit: .max)
  }

  /// Reads so many in a day, such as `50/day`.
  ///
  /// - Parameter text: The text.
  /// - Returns: How many, at least one.
  /// - Throws: ``Fault`` if it is none, zero, or too large for an integer.
  package static func perDay(_ text: String) throws(Fault) -> Int {
    let measured = try MeasuredText(text)
    let count = try measured.product(measured.unit == "/day" ? 1 : nil, limit: .max)
    guard count > 0 else { throw .malformed }
    return count
  }

  /// Writes a time in the longest unit that it is a whole number of.
  ///
  /// - Parameter duration: The time; what it has below a millisecond is left out.
  /// - Returns: A text that ``duration(_:)`` reads.
  package static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return text(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000), in: times)
  }

  /// Writes a size in the largest unit that it is a whole number of.
  ///
  /// - Parameter bytes: The size; what it has below a kilobyte is left out.
  /// - Returns: A text that ``bytes(_:)`` reads.
  package static func text(bytes: Int) -> String { text(bytes, in: sizes) }

  private static func text(_ amount: Int, in units: [(String, Int)]) -> String {
    let smallest = units[units.count - 1]
    let unit = units.first { amount > 0 && amount.isMultiple(of: $0.1) } ?? smallest
    return "\(amount / unit.1)\(unit.0)"
  }
}
