/// A script that teaches a shell to complete the program's command lines.
///
/// It is made from the tables of the commands and needs nothing but the shell.
struct CompletionScript: Hashable, Sendable {
  /// The shells that have one.
  enum Shell: String, CaseIterable, Sendable { case bash, zsh, fish }

  /// The script.
  let text: String

  /// Makes the script of a shell.
  ///
  /// - Parameters:
  ///   - shell: The shell.
  ///   - registry: The commands to complete.
  init(_ shell: Shell, registry: CommandRegistry = .standard) {
    text =
      switch shell {
      case .bash: Self.bash(registry)
      case .zsh: Self.zsh(registry)
      case .fish: Self.fish(registry)
      }
  }
}

extension CommandRegistry {
  /// The options of all commands that take a value, with their dashes, each once.
  var valueOptions: [String] {
    var names: [String] = []
    for option in commands.flatMap({ $0.options(of: nil) }) where option.value != nil {
      if !names.contains("--\(option.name)") { names.append("--\(option.name)") }
    }
    return names
  }

  /// The names of all commands.
  var names: [String] { commands.map(\.name) }
}

extension CommandSpecification {
  /// The words that can stand where the command's first operand does, other than databases.
  var firstWords: [(name: String, summary: String)] {
    actions.isEmpty
      ? (operands.first?.words ?? []).map { ($0, "") } : actions.map { ($0.name, $0.summary) }
  }
}
