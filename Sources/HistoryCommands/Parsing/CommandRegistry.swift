import HistoryModel

/// The commands of the program, in the order of the help page.
struct CommandRegistry: Sendable {
  /// The command that is meant when none is named.
  static let defaultName = "stream"

  /// Every command that exists.
  ///
  /// A new one is a file with its table and a word here.
  static let standard = CommandRegistry(
    commands: [
      .track, .untrack, .stream, .log, .results, .run, .serve, .consumer, .apply, .relay, .write,
      .migrate, .ready, .snapshot, .status, .check, .trim, .recover, .diagnose, .demo, .completions,
    ],
    fallback: .stream)

  /// The commands.
  let commands: [CommandSpecification]
  /// The one that is meant when none is named.
  let fallback: CommandSpecification

  /// The command of that name.
  subscript(name: String) -> CommandSpecification? {
    commands.first { $0.name == name }
  }

  /// The name of the command that was probably meant.
  func nearest(to word: String) -> String? {
    NearestWord.of(word, among: commands.map(\.name))
  }

  /// Whether an option of that name takes a value.
  ///
  /// A name means the same kind of thing in every command that has it, so that arguments can be
  /// taken apart before the command is known.
  func takesValue(_ option: String) -> Bool {
    commands.contains { command in
      command.options(of: nil).contains { $0.name == option && $0.value != nil }
    }
  }

  /// The names of the commands that have an option, with the action if only that has it.
  func owners(of option: String) -> [String] {
    commands.flatMap { command in
      if command.options.contains(where: { $0.name == option }) { return [command.name] }
      let actions = command.actions.filter { $0.options.contains { $0.name == option } }
      return actions.map { "\(command.name) \($0.name)" }
    }
  }
}
