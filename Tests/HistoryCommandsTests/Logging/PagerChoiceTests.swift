import Testing

@testable import HistoryCommands

@Suite("The choice of a pager")
struct PagerChoiceTests {
  static let choices: [([String: String], [String]?)] = [
    ([:], ["less"]),
    (["PAGER": "more"], ["more"]),
    (["PAGER": "less -S"], ["sh", "-c", "less -S"]),
    (["PAGER": "head | tail"], ["sh", "-c", "head | tail"]),
    (["PAGER": "cat"], nil),
    (["PAGER": ""], nil),
    (["PAGER": "  "], nil),
  ]

  @Test("PAGER says which, else it is less", arguments: choices)
  func choice(variables: [String: String], arguments: [String]?) {
    let choice = PagerChoice { variables[$0] }
    #expect(choice?.arguments == arguments)
    if let choice { #expect(choice.environment == ["LESS": "FRX"]) }
  }

  @Test("whoever has set LESS keeps it")
  func less() {
    #expect(PagerChoice { ["LESS": "S"][$0] }?.environment == [:])
  }
}
