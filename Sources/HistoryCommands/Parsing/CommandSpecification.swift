/// One command of the program, as its users see it: words, options, help.
///
/// Parsing, help pages and shell completion all read this table, so they cannot disagree.
struct CommandSpecification: Sendable {
  /// The word that selects the command.
  let name: String
  /// Where it stands in the list of commands.
  let group: CommandGroup
  /// One line, without a full stop, that starts with a verb.
  let summary: String
  /// What it acts on, in order; empty where actions say so themselves.
  var operands: [OperandSpecification] = []
  /// What it may do, for commands that need a second word.
  var actions: [ActionSpecification] = []
  /// Its options, in the order of the help page; `--help` is understood everywhere.
  var options: [OptionSpecification] = []
  /// Options of which at least one must be given.
  var requiresOneOf: [String] = []
  /// What the command lacks without one of them, as it follows "needs".
  var need = ""
  /// Paragraphs that say what the summary leaves open.
  var discussion: [String] = []
  /// What to type first, and what it does.
  let example: ExampleSpecification
  /// How it can end.
  let exits: [ExitSpecification]
}

/// A command line worth copying, with a line that says what it does.
struct ExampleSpecification: Sendable {
  /// What to type.
  let commandLine: String
  /// What happens then.
  let explanation: String
}

/// One way in which a command can end.
struct ExitSpecification: Sendable {
  /// The status that the shell sees.
  let code: ExitCode
  /// When this command ends with it.
  let meaning: String

  /// Makes a line of the table of exit codes.
  ///
  /// - Parameters:
  ///   - code: The status that the shell sees.
  ///   - meaning: When the command ends with it; the code's general meaning if nil.
  init(_ code: ExitCode, _ meaning: String? = nil) {
    self.code = code
    self.meaning = meaning ?? code.meaning
  }
}

extension CommandSpecification {
  /// Returns the options that apply: the command's own and those of the action.
  ///
  /// Without an action it returns the options of all actions.
  func options(of action: ActionSpecification?) -> [OptionSpecification] {
    options + (action.map(\.options) ?? actions.flatMap(\.options))
  }

  /// The command lines that the command understands, without the program's name in front.
  var usage: [String] {
    guard actions.isEmpty else {
      return actions.map { action in
        let options = (options + action.options).map { "[\($0.label)]" }
        return ([name, action.name] + action.operands.map(\.label) + options)
          .joined(separator: " ")
      }
    }
    let shown = self.name == CommandRegistry.defaultName ? "[\(name)]" : name
    return [
      ([shown] + (options.isEmpty ? [] : ["[OPTIONS]"]) + operands.map(\.label))
        .joined(separator: " ")
    ]
  }
}
