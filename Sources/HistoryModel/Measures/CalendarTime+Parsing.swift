extension CalendarTime {
  /// Reads UTC with milliseconds, as lines show it: `2026-11-30T06:22:31.123Z`.
  ///
  /// - Parameter text: The text; it is nil for anything else, and for a day that there is not.
  public init?(_ text: some StringProtocol) {
    let form = Array("0000-00-00T00:00:00.000Z".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count == form.count else { return nil }
    var numbers = [0]
    for (byte, expected) in zip(bytes, form) {
      if expected == UInt8(ascii: "0") {
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
        numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - 48)
      } else {
        guard byte == expected else { return nil }
        numbers.append(0)
      }
    }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    let (hour, minute, second, millisecond) = (numbers[3], numbers[4], numbers[5], numbers[6])
    guard (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day), hour < 24,
      minute < 60, second < 60
    else { return nil }
    let days = Self.days(to: year, month, day)
    self.init(
      milliseconds: ((days * 24 + Int64(hour)) * 60 + Int64(minute)) * 60_000
        + Int64(second * 1000 + millisecond))
  }

  private static func days(in month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The day number of a date since 1970, by eras of 400 years that begin in March.
  private static func days(to year: Int, _ month: Int, _ day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear)
      - 719_468
  }
}
