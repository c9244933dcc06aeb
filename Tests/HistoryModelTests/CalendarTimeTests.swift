import HistoryModel
import Testing

@Suite("Calendar time")
struct CalendarTimeTests {
  @Test(
    "milliseconds are shown as UTC",
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
      (-1, "1969-12-31T23:59:59.999Z"), (-86_400_000, "1969-12-31T00:00:00.000Z"),
      (-86_400_001, "1969-12-30T23:59:59.999Z"), (86_399_999, "1970-01-01T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
      (1_735_603_200_000, "2024-12-31T00:00:00.000Z"),
      (1_735_689_600_000, "2025-01-01T00:00:00.000Z"),
      (1_796_019_751_123, "2026-11-30T06:22:31.123Z"),
      (-2_208_988_800_000, "1900-01-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
    ] as [(Int64, String)])
  func shown(milliseconds: Int64, expected: String) {
    #expect(CalendarTime(milliseconds: milliseconds).description == expected)
  }

  @Test("what no calendar of four digits has is shown as its end, and is no Julian day")
  func extremes() {
    for milliseconds in [Int64.min, -210_866_760_000_000, -62_167_219_200_001] {
      #expect(CalendarTime(milliseconds: milliseconds).description == "0000-01-01T00:00:00.000Z")
    }
    for milliseconds in [Int64.max, 253_402_300_800_000] {
      #expect(CalendarTime(milliseconds: milliseconds).description == "9999-12-31T23:59:59.999Z")
    }
    for day in [0, -1, 1_721_059.4, 5_373_484.6, 1e300, -1e300, .infinity, .nan, -0.0] as [Double] {
      #expect(CalendarTime(julianDay: day) == nil)
    }
    #expect(CalendarTime(julianDay: 1_721_059.5)?.description == "0000-01-01T00:00:00.000Z")
  }

  @Test("a day follows the other, whatever month or year they are in")
  func succession() {
    let lengths = { (year: Int) in
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }
    let two = { (number: Int) in (number < 10 ? "0" : "") + "\(number)" }
    var day: Int64 = -25_567
    var wrong: [String] = []
    for year in 1900...2110 {
      for (month, length) in lengths(year).enumerated() {
        for date in 1...length {
          let expected = "\(year)-\(two(month + 1))-\(two(date))T12:00:00.000Z"
          let shown = CalendarTime(milliseconds: day * 86_400_000 + 43_200_000).description
          if shown != expected { wrong.append("\(shown) \(expected)") }
          day += 1
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("the millisecond that SQLite meant comes out of a Julian day")
  func julianDay() {
    #expect(CalendarTime(julianDay: 2_440_587.5)?.milliseconds == 0)
    #expect(CalendarTime(julianDay: 2_440_587.5 - 1.0 / 86_400_000)?.milliseconds == -1)
    // As SQLite computes it: whole milliseconds since the Julian epoch, over those of a day.
    var wrong: [Int64] = []
    for start: Int64 in [0, 1_796_019_751_000, 4_102_444_800_000, 253_402_300_798_000, -1000] {
      for milliseconds in start..<start + 1000 {
        let julianDay = Double(milliseconds + 210_866_760_000_000) / 86_400_000
        if CalendarTime(julianDay: julianDay)?.milliseconds != milliseconds {
          wrong.append(milliseconds)
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test("what is no moment is none")
  func none() {
    for value in [Double.nan, .infinity, -.infinity, 1e300] {
      #expect(CalendarTime(julianDay: value) == nil)
    }
  }

  @Test("moments are ordered")
  func order() {
    #expect(CalendarTime(milliseconds: -1) < CalendarTime(milliseconds: 0))
    #expect(!(CalendarTime(milliseconds: 0) < CalendarTime(milliseconds: 0)))
  }

  @Test("what was shown is read back, and nothing else is read")
  func reading() {
    for milliseconds in stride(
      from: Int64(-62_000_000_000_000), to: 250_000_000_000_000, by: 1 << 38)
    {
      let time = CalendarTime(milliseconds: milliseconds + 86_399_999)
      #expect(CalendarTime(time.description) == time)
    }
    for text in [
      "", "2026-11-30", "2026-11-30T06:22:31Z", "2026-11-30T06:22:31.123",
      "2026-02-29T00:00:00.000Z",
      "2026-13-01T00:00:00.000Z", "2026-00-01T00:00:00.000Z", "2026-01-00T00:00:00.000Z",
      "2026-04-31T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01T00:60:00.000Z",
      "2026-01-01T00:00:60.000Z", "2026-01-01 00:00:00.000Z", "2026-01-01T00:00:00.00aZ",
      "1900-02-29T00:00:00.000Z",
    ] {
      #expect(CalendarTime(text) == nil, "\(text)")
    }
    #expect(CalendarTime("2000-02-29T00:00:00.000Z") != nil)
  }
}
