import Testing

@testable import HistoryCommands

@Suite("Pages for man")
struct ManualPageTests {
  @Test(
    "a command's page says all that its help page says",
    arguments: CommandRegistry.standard.commands)
  func complete(command: CommandSpecification) {
    let page = plain(ManualPage(command).text)
    #expect(page.contains("historywatch-\(command.name) - \(command.summary)\n"))
    for usage in command.usage { #expect(page.contains("historywatch \(usage)\n")) }
    for paragraph in command.discussion { #expect(page.contains(paragraph)) }
    for option in command.options(of: nil) { #expect(page.contains("\n\(option.label)\n")) }
    for exit in command.exits {
      #expect(page.contains("\n\(exit.code.rawValue)\n\(exit.meaning)\n"))
    }
    #expect(page.contains("\n\(command.example.commandLine)\n"))
  }

  @Test("the program's page names every command")
  func overview() {
    let page = plain(ManualPage(.standard).text)
    for command in CommandRegistry.standard.commands {
      #expect(page.contains("\nhistorywatch-\(command.name)\n\(command.summary).\n"))
      #expect(page.contains("historywatch-\(command.name)(1)"))
    }
  }

  @Test("nothing in a text is taken for a macro or an escape")
  func escaped() {
    var roff = RoffText(title: "t")
    roff.line(".SH no section")
    roff.line("'br")
    roff.line(#"a\fBb"#)
    #expect(roff.text.hasSuffix("\\&.SH no section\n\\(aqbr\na\\efBb\n"))
  }

  @Test("it is asked for with --manual, wherever that stands")
  func asked() throws {
    for arguments in [
      ["--manual", "stream"], ["stream", "--manual"], ["stream", "a.db", "--manual"],
    ] {
      guard case .manual(let command?) = try CommandParser().parse(arguments) else {
        Issue.record("\(arguments) asks for something else")
        continue
      }
      #expect(command.name == "stream")
    }
    guard case .manual(nil) = try CommandParser().parse(["--manual"]) else {
      Issue.record("the program has no page")
      return
    }
  }

  /// What `man` shows of a page, but for its layout.
  private func plain(_ roff: String) -> String {
    var text = roff
    for font in ["B", "I", "R"] { text.replace("\\f\(font)", with: "") }
    for (escape, character) in [
      (#"\-"#, "-"), (#"\(aq"#, "'"), (#"\(ga"#, "`"), (#"\(ha"#, "^"), (#"\(ti"#, "~"),
      (#"\&"#, ""), (#"\e"#, "\\"),
    ] { text.replace(escape, with: character) }
    return text
  }
}
