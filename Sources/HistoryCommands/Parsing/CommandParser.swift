import HistoryModel

/// Turns a command line into what it asks for, or says what is wrong with it.
struct CommandParser: Sendable {
  /// The commands it knows.
  let registry: CommandRegistry

  /// Makes a parser.
  ///
  /// - Parameter registry: The commands it knows.
  init(_ registry: CommandRegistry = .standard) {
    self.registry = registry
  }

  /// Reads a command line.
  ///
  /// The first operand that is the name of a command is the command; anything else is a database
  /// for the default command. A request for help wins over every mistake around it.
  ///
  /// - Parameter arguments: What followed the program's name.
  /// - Returns: What to do.
  /// - Throws: ``HistoryError`` with code `usage` and what to write instead.
  func parse(_ arguments: [String]) throws(HistoryError) -> Invocation {
    var words = ArgumentWord.split(arguments, takesValue: registry.takesValue)
    let asksForHelp = words.contains { $0.isOption("--help", "-h") } || takeHelpCommand(&words)
    let command = takeCommand(&words)
    if asksForHelp { return try .help(helpTopic(command, words)) }
    if words.contains(where: { $0.isOption("--manual") }) {
      return try .manual(helpTopic(command, words))
    }
    if words.contains(where: { $0.isOption("--version") }) { return .version }

    var reading = ArgumentReading(
      command: command ?? registry.fallback, isImplied: command == nil, registry: registry)
    return try .command(reading.read(words))
  }

  /// Takes the word `help` away if it comes first, as in `help stream`.
  private func takeHelpCommand(_ words: inout [ArgumentWord]) -> Bool {
    guard words.first == .operand("help", isLiteral: false) else { return false }
    words.removeFirst()
    return true
  }

  /// Takes the command's name away if it is the first operand.
  private func takeCommand(_ words: inout [ArgumentWord]) -> CommandSpecification? {
    guard let place = words.firstIndex(where: \.isOperand),
      case .operand(let name, isLiteral: false) = words[place], let command = registry[name]
    else { return nil }
    words.remove(at: place)
    return command
  }

  /// The command to explain: nil for all of them.
  private func helpTopic(
    _ command: CommandSpecification?, _ words: [ArgumentWord]
  ) throws(HistoryError) -> CommandSpecification? {
    if let command { return command }
    guard let place = words.firstIndex(where: \.isOperand),
      case .operand(let word, isLiteral: false) = words[place]
    else { return nil }
    guard word.looksLikeCommand else { return registry.fallback }
    throw .unknownCommand(word, nearest: registry.nearest(to: word))
  }
}

extension ArgumentWord {
  /// Whether it is an argument without a name.
  var isOperand: Bool {
    if case .operand = self { true } else { false }
  }

  /// Whether it is one of these options, dashes included.
  func isOption(_ names: String...) -> Bool {
    if case .option(let name, _) = self { names.contains(name) } else { false }
  }
}

extension String {
  /// Whether it consists of small letters and dashes only, as commands do and paths seldom.
  var looksLikeCommand: Bool {
    !isEmpty && utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D }
  }
}
