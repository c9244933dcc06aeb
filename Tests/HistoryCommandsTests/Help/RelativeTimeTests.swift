import Testing

@testable import HistoryCommands

@Suite("Relative time")
struct RelativeTimeTests {
  static let moments: [(Int64, String)] = [
    (0, "just now"), (9, "just now"), (10, "10 seconds ago"), (59, "59 seconds ago"),
    (60, "1 minute ago"), (119, "1 minute ago"), (180, "3 minutes ago"),
    (3_599, "59 minutes ago"),
    (3_600, "1 hour ago"), (86_399, "23 hours ago"), (86_400, "yesterday"),
    (172_799, "yesterday"), (172_800, "2 days ago"), (13 * 86_400, "13 days ago"),
    (14 * 86_400, "2 weeks ago"), (59 * 86_400, "8 weeks ago"), (60 * 86_400, "2 months ago"),
    (729 * 86_400, "24 months ago"), (730 * 86_400, "2 years ago"),
  ]

  @Test("a moment is told by the largest unit of which there is one", arguments: moments)
  func ago(seconds: Int64, expected: String) {
    let now: Int64 = 1_796_019_751_123
    #expect(RelativeTime(now - seconds * 1_000, now: now).description == expected)
  }

  @Test("a clock that runs ahead is told too")
  func ahead() {
    #expect(RelativeTime(9_000, now: 0).description == "just now")
    #expect(RelativeTime(60_000, now: 0).description == "in 1 minute")
    #expect(RelativeTime(86_400_000, now: 0).description == "tomorrow")
    #expect(RelativeTime(3 * 86_400_000, now: 0).description == "in 3 days")
  }

  @Test("no moment is too far")
  func extremes() {
    #expect(RelativeTime(.min, now: .max).description.hasSuffix("years ago"))
    #expect(RelativeTime(.max, now: .min).description.hasPrefix("in "))
    #expect(RelativeTime(.min, now: 0).description.hasSuffix("years ago"))
  }
}
