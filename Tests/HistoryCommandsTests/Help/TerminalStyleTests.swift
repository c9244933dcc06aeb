import Testing

@testable import HistoryCommands

@Suite("Terminal style")
struct TerminalStyleTests {
  static let situations: [(Bool, [String: String], TerminalStyle.Depth)] = [
    (true, ["TERM": "xterm"], .sixteen),
    (true, ["TERM": "xterm-256color"], .many),
    (true, ["TERM": "xterm", "COLORTERM": "truecolor"], .many),
    (true, ["TERM": "xterm", "NO_COLOR": ""], .sixteen),
    (true, ["TERM": "xterm", "NO_COLOR": "1"], .none),
    (true, ["TERM": "xterm", "NO_COLOR": "0"], .none),
    (true, ["TERM": "dumb"], .none),
    (true, [:], .none),
    (false, ["TERM": "xterm-256color", "COLORTERM": "truecolor"], .none),
  ]

  @Test(
    "colour needs a terminal that is not dumb, and nobody who forbids it", arguments: situations)
  func decision(isTerminal: Bool, variables: [String: String], expected: TerminalStyle.Depth) {
    #expect(TerminalStyle(isTerminal: isTerminal) { variables[$0] }.depth == expected)
  }

  @Test("the plain style leaves text alone")
  func plain() {
    let style = TerminalStyle.plain
    #expect(style.bold("a") + style.dim("b") + style.red("c") + style.author("d") == "abcd")
    #expect(TerminalStyle(depth: .many).green("") == "")
  }

  @Test("an author has one colour, always, and authors differ")
  func authors() {
    let style = TerminalStyle(depth: .many)
    #expect(style.author("app") == style.author("app"))
    #expect(style.author("widget") == "\u{1B}[38;5;62mwidget\u{1B}[0m")
    let names = (0..<64).map { "author \($0)" }
    let colours = Set(names.map { style.author($0).prefix { $0 != "m" } })
    #expect(colours.count == 8)
  }

  @Test("a closed descriptor is no terminal")
  func closed() {
    #expect(TerminalStyle(descriptor: -1) == .plain)
  }
}
