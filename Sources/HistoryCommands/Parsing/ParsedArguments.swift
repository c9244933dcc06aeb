import HistoryModel

/// The arguments of one command, complete and each well formed.
struct ParsedArguments: Sendable {
  /// The command.
  let command: CommandSpecification
  /// The action, for commands that have several.
  let action: String?
  /// The operands in the order given, without command and action.
  let operands: [String]
  /// The operands by the name they have in the usage line.
  let namedOperands: [String: [String]]
  /// The values by the option's name without dashes; a flag has one empty value.
  let options: [String: [String]]

  /// The path of the database.
  var database: String {
    get throws(HistoryError) {
      guard let path = operand("DATABASE") else {
        throw .missingOperand(.database, of: command, action: action)
      }
      return path
    }
  }

  /// The operand of that name, if it was given.
  func operand(_ name: String) -> String? { namedOperands[name]?.first }

  /// All operands of that name.
  func operands(_ name: String) -> [String] { namedOperands[name] ?? [] }

  /// Whether a flag was given.
  func flag(_ name: String) -> Bool { !values(name).isEmpty }

  /// The value of an option, if it was given.
  func value(_ name: String) -> String? { values(name).first }

  /// All values of an option, in the order given.
  func values(_ name: String) -> [String] {
    precondition(
      command.options(of: nil).contains { $0.name == name },
      "The table of \(command.name) has no option --\(name).")
    return options[name] ?? []
  }

  /// The value of an option that takes a whole number.
  func count(_ name: String) throws(HistoryError) -> Int? {
    guard let text = value(name) else { return nil }
    return try CountArgument(text, for: "--\(name)").count
  }

  /// The value of an option that takes a time.
  func duration(_ name: String) throws(HistoryError) -> Duration? {
    guard let text = value(name) else { return nil }
    return try DurationArgument(text, for: "--\(name)").duration
  }

  /// The value of an option that takes a size, in bytes.
  func size(_ name: String) throws(HistoryError) -> Int? {
    guard let text = value(name) else { return nil }
    return try SizeArgument(text, for: "--\(name)").bytes
  }

  /// The value of an option as a case of an enumeration whose raw values are the option's words.
  ///
  /// - Parameters:
  ///   - name: The option.
  ///   - fallback: What holds when it is not given.
  /// - Returns: The case.
  /// - Throws: ``HistoryError`` with code `usage` if there is no such case.
  func choice<Choice>(_ name: String, default fallback: Choice) throws(HistoryError) -> Choice
  where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
    guard let text = value(name) else { return fallback }
    guard let choice = Choice(rawValue: text) else {
      throw .notAChoice(text, of: Choice.allCases.map(\.rawValue), for: "--\(name)")
    }
    return choice
  }
}
