import HistoryModel
import Testing

@testable import HistoryCommands

@Suite("Error reports")
struct ErrorReportTests {
  @Test("a failure is one line, and a second one when something can be done")
  func lines() {
    #expect(
      ErrorReport(HistoryError(.temporary, "The disk is full.")).text
        == "historywatch: The disk is full.\n")
    #expect(
      ErrorReport(HistoryError(.notTracked, "Nothing.", hint: "Track it.")).text
        == "historywatch: Nothing.\nhint: Track it.\n")
    #expect(ErrorReport(HistoryError(.temporary, "It failed.", hint: "")).lines.count == 1)
  }

  @Test("line breaks are flattened with the space around them")
  func flattened() {
    let error = HistoryError(.statementFailed, "near \"x\":\r\n  syntax\n\n", hint: "a\u{2028}b")
    #expect(ErrorReport(error).text == "historywatch: near \"x\": syntax\nhint: a b\n")
  }

  @Test("nothing in a message reaches the terminal as a command")
  func controls() {
    #expect(
      PrintableText.line("a\u{1B}[2J\u{7F}\u{9B}b\tc\u{202E}d\0")
        == "a\u{FFFD}[2J\u{FFFD}\u{FFFD}b c\u{FFFD}d\u{FFFD}")
    #expect(PrintableText.line("  größer  als 👍🏽 ") == "  größer  als 👍🏽 ")
    #expect(PrintableText.line("\n\n") == "")
  }

  @Test("on a terminal the first words stand out")
  func styled() {
    let error = HistoryError(.usage, "No.", hint: "Yes.")
    let report = ErrorReport(error, style: TerminalStyle(depth: .sixteen))
    #expect(
      report.lines == ["\u{1B}[31mhistorywatch:\u{1B}[0m No.", "\u{1B}[2mhint:\u{1B}[0m Yes."])
  }

  static let exitCodes: [(HistoryError.Code, Int32)] = [
    (.usage, 2), (.untrackable, 2), (.temporary, 1), (.statementFailed, 1),
    (.historyTokenExpired, 3), (.invalidToken, 4), (.foreignToken, 4), (.storeUnavailable, 5),
    (.notTracked, 5), (.unknownLayout, 5), (.noSuchConsumer, 5),
  ]

  @Test("every kind of failure has its exit code", arguments: exitCodes)
  func exitCode(code: HistoryError.Code, expected: Int32) {
    #expect(ExitCode(code).rawValue == expected)
  }
}
