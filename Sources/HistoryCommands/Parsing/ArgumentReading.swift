import HistoryModel

/// The reading of one command line whose command is known.
struct ArgumentReading {
  /// The command.
  let command: CommandSpecification
  /// Whether it was not named.
  let isImplied: Bool
  /// All commands, to say what may have been meant.
  let registry: CommandRegistry

  private var startsWithOperand = false
  private var operands: [(text: String, isLiteral: Bool)] = []
  private var options: [String: [String]] = [:]

  /// Starts a reading.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - isImplied: Whether it was not named.
  ///   - registry: All commands.
  init(command: CommandSpecification, isImplied: Bool, registry: CommandRegistry) {
    self.command = command
    self.isImplied = isImplied
    self.registry = registry
  }

  /// Reads what is left after the command's name was taken out.
  mutating func read(_ words: [ArgumentWord]) throws(HistoryError) -> ParsedArguments {
    if isImplied && words.isEmpty { throw .nothingAsked }
    startsWithOperand = words.first?.isOperand ?? false
    for case .operand(let text, let isLiteral) in words { operands.append((text, isLiteral)) }
    let action = try takeAction()
    let known = command.options(of: action)
    for (place, word) in words.enumerated() {
      guard case .option(let name, let value) = word else { continue }
      let next = words.dropFirst(place + 1).first
      try take(name, value, known: known, action: action, next: next)
    }
    try checkTogether(known)
    let named = try assignOperands(action)
    return ParsedArguments(
      command: command, action: action?.name,
      operands: operands.map(\.text), namedOperands: named, options: options)
  }

  /// Takes the action's name away, before or after the database.
  private mutating func takeAction() throws(HistoryError) -> ActionSpecification? {
    guard !command.actions.isEmpty else { return nil }
    for (place, operand) in operands.prefix(2).enumerated() {
      if let action = command.actions.first(where: { $0.name == operand.text }) {
        operands.remove(at: place)
        return action
      }
    }
    throw .unknownAction(operands.first?.text, of: command)
  }

  private mutating func take(
    _ name: String, _ value: String?, known: [OptionSpecification], action: ActionSpecification?,
    next: ArgumentWord?
  ) throws(HistoryError) {
    guard let option = known.first(where: { "--\($0.name)" == name }) else {
      throw unknown(name, known: known, action: action)
    }
    if options[option.name] != nil && !option.isRepeatable { throw .repeated(option) }
    switch (option.value, value) {
    case (let form?, let value?):
      try form.check(value, for: name)
      options[option.name, default: []].append(value)
    case (nil, nil): options[option.name] = [""]
    case (nil, .some): throw .unexpectedValue(option)
    case (.some, nil):
      // A dashed word that no command knows was meant as the value.
      guard case .option(let following, nil) = next,
        registry.owners(of: String(following.drop { $0 == "-" })).isEmpty
      else { throw .missingValue(option, before: nil) }
      throw .missingValue(option, before: following)
    }
  }

  private func unknown(
    _ name: String, known: [OptionSpecification], action: ActionSpecification?
  ) -> HistoryError {
    if isImplied, let first = operands.first, !first.isLiteral {
      let meant = registry.nearest(to: first.text)
      let isNamed = startsWithOperand && operands.count > 1 && first.text.looksLikeCommand
      if meant != nil || isNamed { return .unknownCommand(first.text, nearest: meant) }
    }
    let names = known.map { "--\($0.name)" } + ["--help", "--version"]
    return .unknownOption(
      name, of: [command.name, action?.name].compactMap(\.self).joined(separator: " "),
      nearest: NearestWord.of(name, among: names),
      owners: registry.owners(of: String(name.drop { $0 == "-" })))
  }

  /// Checks what options say about each other.
  private func checkTogether(_ known: [OptionSpecification]) throws(HistoryError) {
    for option in known where options[option.name] != nil {
      for other in option.excludes where options[other] != nil {
        throw .excluded(option.name, by: other)
      }
    }
    let needed = command.requiresOneOf
    if !needed.isEmpty && !needed.contains(where: { options[$0] != nil }) {
      throw .needsOneOf(known.filter { needed.contains($0.name) }, of: command)
    }
  }

  /// Gives each operand its name.
  private func assignOperands(
    _ action: ActionSpecification?
  ) throws(HistoryError) -> [String: [String]] {
    let expected = action?.operands ?? command.operands
    let takesCommand = expected.last?.kind == .command
    var named: [String: [String]] = [:]
    // What is to be run stands after `--`, so that none of its words is taken for one of ours.
    var rest = operands.filter { !takesCommand || !$0.isLiteral }[...]
    for operand in expected {
      if operand.kind == .command {
        let literal = operands.filter(\.isLiteral)[...]
        if !rest.isEmpty, !literal.isEmpty { throw tooMany(rest.count, action) }
        rest = literal
      }
      let taken = rest.prefix(operand.takesSeveral ? rest.count : 1).map(\.text)
      if taken.isEmpty, operand.isRequired(with: options.keys) {
        throw .missingOperand(operand, of: command, action: action?.name)
      }
      for text in operand.kind == .command ? taken.prefix(1) : taken[...] {
        try operand.check(text)
      }
      if !taken.isEmpty { named[operand.name] = taken }
      rest = rest.dropFirst(taken.count)
    }
    if !rest.isEmpty { throw tooMany(rest.count, action) }
    return named
  }

  private func tooMany(_ count: Int, _ action: ActionSpecification?) -> HistoryError {
    if isImplied, let first = operands.first, !first.isLiteral {
      if let second = operands.dropFirst().first, registry[second.text] != nil {
        return .commandComesFirst(second.text, database: first.text)
      }
      if first.text.looksLikeCommand {
        return .unknownCommand(first.text, nearest: registry.nearest(to: first.text))
      }
    }
    return .extraOperands(count, of: command, action: action?.name)
  }
}
