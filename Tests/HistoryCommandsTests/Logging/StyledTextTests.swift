import Testing

@testable import HistoryCommands

@Suite("Text with colours")
struct StyledTextTests {
  @Test(
    "wide characters and pictures take two columns",
    arguments: [("abc", 3), ("日本", 4), ("é", 1), ("👍🏽", 2), ("한글", 4), ("", 0)])
  func width(text: String, width: Int) {
    #expect(text.terminalWidth == width)
  }

  @Test(
    "a text that is too wide is cut with a sign",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"),
    ])
  func cut(text: String, limit: Int, expected: String) {
    #expect(text.cut(to: limit) == expected)
  }

  @Test("colours have no width")
  func colours() {
    var text = StyledText("ab") { "\u{1B}[31m\($0)\u{1B}[0m" }
    text += "c"
    #expect(text.width == 3)
    #expect(text.padded(to: 5).text == "\u{1B}[31mab\u{1B}[0mc  ")
  }
}
