import EventLoop

@testable import HistoryCommands

/// The page docs/commands.md, from the same tables as the help pages.
struct CommandsPage {
  /// The repository's folder.
  private static let repository =
    #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }

  /// The page as it has to be.
  let text: String

  /// Makes the page of all commands.
  init(_ registry: CommandRegistry) {
    var lines = [
      "# Commands",
      "",
      "Every command, with its options and their defaults, an example, and its exit codes. `historywatch COMMAND --help`",
      "shows the same on a terminal, and `historywatch COMMAND --manual` as a page for man. What commands print for programs,",
      "and what exit codes mean in general, is on the page about [JSON lines](json-lines.md). This page is made from the",
      "tables that the program itself reads; `CommandsPageTests` says how to make it again.",
      "",
      "Every command knows `-h` and `--help`. Durations are a whole number and `ms`, `s`, `m`, `h` or `d`; sizes a whole",
      "number and `KB`, `MB` or `GB`.",
    ]
    for group in CommandGroup.allCases {
      let commands = registry.commands.filter { $0.group == group }
      if commands.isEmpty { continue }
      lines += ["", "## \(group.rawValue)"]
      for command in commands {
        lines += Self.section(of: command, isDefault: command.name == registry.fallback.name)
      }
    }
    text = lines.map { $0 + "\n" }.joined()
  }

  /// The page as it is.
  ///
  /// - Throws: What reading the file throws.
  static func written() throws -> String {
    let bytes = try DurableFile(path: repository + "/docs/commands.md").read(limit: 1 << 20)
    return String(decoding: bytes ?? [], as: UTF8.self)
  }

  /// Leaves the page where it can be copied from, and says how.
  ///
  /// - Throws: What writing the file throws.
  func leave() throws -> String {
    try DurableFile(path: Self.repository + "/.build/commands.md").replace(with: Array(text.utf8))
    return "docs/commands.md is not what the commands say; cp .build/commands.md docs/commands.md"
  }

  private static func section(of command: CommandSpecification, isDefault: Bool) -> [String] {
    var lines = ["", "### `\(command.name)`", ""]
    lines.append(
      command.summary + (isDefault ? ". It is the command that is meant when none is named." : "."))
    lines += ["", "```sh"] + command.usage.map { "historywatch \($0)" } + ["```"]
    for paragraph in command.discussion { lines += ["", marked(paragraph)] }
    if !command.requiresOneOf.isEmpty {
      lines += [
        "", "It needs \(command.requiresOneOf.map { "`--\($0)`" }.joined(separator: " or ")).",
      ]
    }
    if !command.actions.isEmpty {
      lines += ["", "| action | does |", "| --- | --- |"]
      lines += command.actions.map { row(["`\($0.name)`", $0.summary]) }
    }
    let options = command.options(of: nil)
    if !options.isEmpty {
      lines += ["", "| option | does | default |", "| --- | --- | --- |"]
      lines += options.map { row(["`\($0.label)`", does($0), $0.defaultText ?? ""]) }
    }
    lines += ["", "For example:", "", "```sh", command.example.commandLine, "```", ""]
    lines.append(marked(command.example.explanation))
    lines += ["", "| exit code | when |", "| --- | --- |"]
    lines += command.exits.map { row(["\($0.code.rawValue)", marked($0.meaning)]) }
    return lines
  }

  /// What an option does, and how often and beside which others it may stand.
  private static func does(_ option: OptionSpecification) -> String {
    var parts = [marked(option.help)]
    if option.isRepeatable, !option.help.contains("repeat") { parts.append("can be repeated") }
    if !option.excludes.isEmpty {
      let others = option.excludes.map { "`--\($0)`" }.joined(separator: " or ")
      parts.append("not together with \(others)")
    }
    return parts.joined(separator: "; ")
  }

  /// A sentence whose options stand out, and are not taken for dashes.
  private static func marked(_ sentence: String) -> String {
    sentence.split(separator: " ").map { word in
      guard let start = word.firstRange(of: "--")?.lowerBound, word.count > 2 else {
        return String(word)
      }
      let option = word[start...].prefix { $0 == "-" || $0.isLetter }
      return "\(word[..<start])`\(option)`\(word[option.endIndex...])"
    }.joined(separator: " ")
  }

  /// A row of a table, in which nothing ends a cell early.
  private static func row(_ cells: [String]) -> String {
    let cells = cells.map { $0.split(separator: "|", omittingEmptySubsequences: false) }
      .map { $0.joined(separator: "\\|") }
    return cells.reduce("|") { $1.isEmpty ? $0 + " |" : $0 + " \($1) |" }
  }
}
