/// A help page, for standard output.
struct HelpPage: Hashable, Sendable {
  /// The page, with a line end after each line.
  let text: String

  /// Makes the page of all commands, grouped by what people want to do.
  ///
  /// - Parameters:
  ///   - registry: The commands.
  ///   - style: Whether headings stand out.
  init(_ registry: CommandRegistry, style: TerminalStyle = .plain) {
    var lines = [
      "historywatch - the change history of SQLite databases, live",
      "",
      "\(style.bold("Usage:")) historywatch [COMMAND] [OPTIONS] DATABASE",
    ]
    let width = registry.commands.map(\.name.count).max() ?? 0
    for group in CommandGroup.allCases {
      let commands = registry.commands.filter { $0.group == group }
      if commands.isEmpty { continue }
      lines += ["", style.bold(group.rawValue)]
      lines += TextColumns.rows(
        commands.map { command in
          let padding = String(repeating: " ", count: width - command.name.count)
          let isDefault = command.name == registry.fallback.name
          return (command.name + padding, command.summary + (isDefault ? " (the default)" : ""))
        })
    }
    lines += ["", style.bold("Start here")]
    lines += [
      "  historywatch track app.db      then let anything write to app.db",
      "  historywatch app.db            and see what it changes, as it happens",
      "",
      "historywatch COMMAND --help explains a command; see also --version, --manual.",
    ]
    self.init(lines)
  }

  /// Makes the page of one command.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - style: Whether headings stand out.
  init(_ command: CommandSpecification, style: TerminalStyle = .plain) {
    var lines = ["historywatch \(command.name) - \(command.summary)", ""]
    let usage = command.usage.map { "historywatch \($0)" }
    lines.append("\(style.bold("Usage:")) \(usage.first ?? "")")
    lines += usage.dropFirst().map { "       \($0)" }
    for paragraph in command.discussion { lines += [""] + TextColumns.wrap(paragraph) }
    if !command.actions.isEmpty {
      lines += ["", style.bold("Actions")]
      lines += TextColumns.rows(command.actions.map { ($0.name, $0.summary) })
    }
    lines += ["", style.bold("Options")]
    lines += TextColumns.rows(
      command.options(of: nil).map { ($0.label, $0.helpWithDefault) }
        + [("-h, --help", "Show this page")])
    lines += ["", style.bold("Example"), "  \(command.example.commandLine)"]
    lines += TextColumns.wrap(command.example.explanation, width: TextColumns.width - 6)
      .map { "      \($0)" }
    lines += ["", style.bold("Exit codes")]
    lines += TextColumns.rows(command.exits.map { ("\($0.code.rawValue)", $0.meaning) })
    self.init(lines)
  }

  private init(_ lines: [String]) {
    text = lines.map { $0 + "\n" }.joined()
  }
}

extension OptionSpecification {
  /// What it does, and what holds without it.
  var helpWithDefault: String {
    defaultText.map { "\(help) (default: \($0))" } ?? help
  }
}
