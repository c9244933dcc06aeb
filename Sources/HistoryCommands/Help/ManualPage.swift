/// A page for `man`, in the macros of man(7), from the same tables as the help pages.
///
/// It has no date in it, so that a version always makes the same page.
struct ManualPage: Hashable, Sendable {
  /// The page's source.
  let text: String

  /// Makes the page of the program, which lists its commands.
  ///
  /// - Parameter registry: The commands.
  init(_ registry: CommandRegistry) {
    var roff = RoffText(title: "historywatch")
    roff.section("Name")
    roff.line("historywatch - the change history of SQLite databases, live")
    roff.section("Synopsis")
    roff.bold("historywatch", then: "[COMMAND] [OPTIONS] DATABASE")
    roff.section("Description")
    roff.line(
      "Any process in any language writes; its changes land, with an author, in a history inside "
        + "the same file, and are printed, served or applied elsewhere as they commit.")
    for group in CommandGroup.allCases {
      let commands = registry.commands.filter { $0.group == group }
      if commands.isEmpty { continue }
      roff.subsection(group.rawValue)
      for command in commands { roff.item(bold: command.manualName, command.summary + ".") }
    }
    roff.section("Options")
    roff.item(bold: "-h, --help", "Show what a command does.")
    roff.item(bold: "--manual", "Print a command's page for man.")
    roff.item(bold: "--version", "Print the versions of the program and its libraries.")
    roff.section("See also")
    roff.line(registry.commands.map { "\($0.manualName)(1)" }.joined(separator: ", "))
    text = roff.text
  }

  /// Makes the page of one command.
  ///
  /// - Parameter command: The command.
  init(_ command: CommandSpecification) {
    var roff = RoffText(title: command.manualName)
    roff.section("Name")
    roff.line("\(command.manualName) - \(command.summary)")
    roff.section("Synopsis")
    for (place, usage) in command.usage.enumerated() {
      if place > 0 { roff.lineBreak() }
      roff.bold("historywatch", then: usage)
    }
    roff.section("Description")
    let discussion = command.discussion.isEmpty ? [command.summary + "."] : command.discussion
    for (place, paragraph) in discussion.enumerated() {
      if place > 0 { roff.paragraph() }
      roff.line(paragraph)
    }
    if !command.actions.isEmpty {
      roff.section("Actions")
      for action in command.actions { roff.item(bold: action.name, action.summary + ".") }
    }
    roff.section("Options")
    for option in command.options(of: nil) {
      roff.item(bold: "--" + option.name, value: option.value?.name, option.helpWithDefault + ".")
    }
    roff.item(bold: "-h, --help", "Show what the command does.")
    roff.section("Exit status")
    for exit in command.exits { roff.item(bold: "\(exit.code.rawValue)", exit.meaning) }
    roff.section("Examples")
    roff.example(command.example.commandLine)
    roff.line(command.example.explanation)
    roff.section("See also")
    roff.line("historywatch(1)")
    text = roff.text
  }
}

extension CommandSpecification {
  /// What its page for man is called.
  var manualName: String { "historywatch-\(name)" }
}
