import HistoryModel
import Testing

@testable import HistoryCommands

@Suite("Times, sizes and counts")
struct ValueArgumentTests {
  static let readable: [(String, Duration)] = [
    ("250ms", .milliseconds(250)), ("0s", .zero), ("10s", .seconds(10)),
    ("5m", .seconds(300)), ("2h", .seconds(7_200)), ("7d", .seconds(604_800)),
    ("36525d", .seconds(36_525 * 86_400)),
  ]

  @Test("a time is a whole number with a unit", arguments: readable)
  func times(text: String, expected: Duration) throws {
    #expect(try DurationArgument(text, for: "--timeout").duration == expected)
  }

  @Test(
    "anything else is no time",
    arguments: [
      "", "10", "s", "ten", "1.5s", "-1s", "+1s", "10 s", "10S", "10sec", "1s1", "1w", "٣s",
      "36526d",
      "99999999999999999999s", "9223372036854775807d",
    ])
  func noTimes(text: String) {
    #expect(throws: HistoryError.self) { try DurationArgument(text, for: "--timeout") }
  }

  @Test("a size is a whole number with a unit of 1024 steps")
  func sizes() throws {
    #expect(try SizeArgument("64KB", for: "--max-size").bytes == 65_536)
    #expect(try SizeArgument("64mb", for: "--max-size").bytes == 67_108_864)
    #expect(try SizeArgument("1GB", for: "--max-size").bytes == 1_073_741_824)
    #expect(try SizeArgument("0KB", for: "--max-size").bytes == 0)
  }

  @Test(
    "anything else is no size",
    arguments: ["", "64", "KB", "64K", "1.5MB", "-1KB", "64 MB", "9223372036854775807KB"])
  func noSizes(text: String) {
    #expect(throws: HistoryError.self) { try SizeArgument(text, for: "--max-size") }
  }

  @Test(
    "a count is digits only",
    arguments: ["", "many", "-1", "+1", "1.0", "1e3", "0x10", " 1", "9223372036854775808"])
  func noCounts(text: String) throws {
    #expect(throws: HistoryError.self) { try CountArgument(text, for: "--limit") }
    #expect(try CountArgument("007", for: "--limit").count == 7)
  }

  @Test("a budget is a whole number from one in a day")
  func budgets() throws {
    #expect(try BudgetArgument("50/day", for: "--budget").perDay == 50)
    #expect(try BudgetArgument("01/day", for: "--budget").perDay == 1)
    for text in [
      "", "50", "/day", "0/day", "00/day", "-1/day", "1.5/day", "50 /day", "50/Day", "50/hour",
      "50/days", "9223372036854775808/day",
    ] {
      #expect(throws: HistoryError.self) { try BudgetArgument(text, for: "--budget") }
    }
  }

  @Test("a malformed value is answered with the form")
  func reports() {
    #expect(
      CommandLineCase.report("app.db", "--timeout", "ten") == """
        historywatch: --timeout must be a time, not "ten"
        hint: write a whole number and a unit: 250ms, 10s, 5m, 2h or 7d

        """)
    #expect(
      CommandLineCase.report("trim", "app.db", "--max-size=64XB") == """
        historywatch: --max-size must be a size, not "64XB"
        hint: write a whole number and a unit: 64KB, 64MB or 1GB

        """)
    #expect(
      CommandLineCase.report("app.db", "--limit=99999999999999999999") == """
        historywatch: --limit is too large: 99999999999999999999
        hint: it can be 9223372036854775807 at most

        """)
    #expect(
      CommandLineCase.report("app.db", "--timeout", "40000d") == """
        historywatch: --timeout is too large: 40000d
        hint: it can be 36525d at most

        """)
  }
}
