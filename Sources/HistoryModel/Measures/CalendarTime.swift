/// A moment as the history keeps it, and as lines show it.
public struct CalendarTime: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  /// Makes a moment.
  ///
  /// - Parameter milliseconds: Milliseconds since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Makes a moment of a Julian day number, which is how SQLite's `julianday('now')` gives it.
  ///
  /// SQLite counts whole milliseconds, so the nearest one is what it meant.
  /// See <https://www.sqlite.org/lang_datefunc.html>.
  ///
  /// - Parameter julianDay: Days since noon in Greenwich on November 24, 4714 B.C. It is nil outside
  ///   of the years 0000 to 9999, for which SQLite gives none.
  public init?(julianDay: Double) {
    let milliseconds = ((julianDay - 2_440_587.5) * 86_400_000).rounded()
    guard let whole = Int64(exactly: milliseconds), Self.shown.contains(whole) else { return nil }
    self.milliseconds = whole
  }

  /// What can be shown: 0000-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
  private static let shown: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Whether a moment comes before another.
  public static func < (a: CalendarTime, b: CalendarTime) -> Bool {
    a.milliseconds < b.milliseconds
  }

  /// Appends UTC with milliseconds, as `2026-11-30T06:22:31.123Z`.
  ///
  /// A moment before the year 0000 or after 9999 is shown as the first or last of these.
  ///
  /// - Parameter output: Where to write it.
  public func append(to output: inout [UInt8]) {
    let milliseconds = min(max(milliseconds, Self.shown.lowerBound), Self.shown.upperBound)
    let days = Int(
      (Double(milliseconds) / 86_400_000).rounded(.down))
    let ofDay = Int(milliseconds - Int64(days) * 86_400_000)
    let (year, month, day) = Self.civil(days)
    Self.append(year, digits: 4, to: &output)
    output.append(UInt8(ascii: "-"))
    Self.append(month, digits: 2, to: &output)
    output.append(UInt8(ascii: "-"))
    Self.append(day, digits: 2, to: &output)
    output.append(UInt8(ascii: "T"))
    Self.append(ofDay / 3_600_000, digits: 2, to: &output)
    output.append(UInt8(ascii: ":"))
    Self.append(ofDay / 60_000 % 60, digits: 2, to: &output)
    output.append(UInt8(ascii: ":"))
    Self.append(ofDay / 1000 % 60, digits: 2, to: &output)
    output.append(UInt8(ascii: "."))
    Self.append(ofDay % 1000, digits: 3, to: &output)
    output.append(UInt8(ascii: "Z"))
  }

  /// The proleptic Gregorian date of a day number, by eras of 400 years that begin in March.
  private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func append(_ number: Int, digits: Int, to output: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
      divisor /= 10
    }
  }
}

extension CalendarTime: CustomStringConvertible {
  /// UTC with milliseconds, as `2026-11-30T06:22:31.123Z`.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
