import HistoryModel

// What is said about a wrong command line. Each situation has one sentence, all of them here.

extension HistoryError {
  static let nothingAsked = HistoryError(
    .usage, "no command and no database is named",
    hint: "historywatch --help lists the commands; historywatch demo shows the idea")

  static func unknownCommand(_ word: String, nearest: String?) -> HistoryError {
    HistoryError(
      .usage, "there is no command \(quoted(word))",
      hint: nearest.map { "did you mean \($0)?" } ?? "historywatch --help lists the commands")
  }

  /// A word in the action's place that looks like a path says that the action is missing.
  static func unknownAction(_ word: String?, of command: CommandSpecification) -> HistoryError {
    let names = command.actions.map(\.name)
    guard let word, word.looksLikeCommand else {
      return HistoryError(
        .usage, "\(command.name) needs an action: \(alternatives(names))",
        hint: "historywatch \(command.name) --help explains them")
    }
    return HistoryError(
      .usage, "\(command.name) has no action \(quoted(word))",
      hint: NearestWord.of(word, among: names).map { "did you mean \($0)?" }
        ?? "it can \(alternatives(names))")
  }

  static func unknownOption(
    _ option: String, of command: String, nearest: String?, owners: [String]
  ) -> HistoryError {
    let elsewhere = owners.isEmpty ? nil : "\(option) is an option of \(enumeration(owners))"
    return HistoryError(
      .usage, "\(command) has no option \(shortened(option))",
      hint: nearest.map { "did you mean \($0)?" } ?? elsewhere
        ?? "historywatch \(command) --help lists its options")
  }

  static func missingValue(_ option: OptionSpecification, before next: String?) -> HistoryError {
    let dashed = next.map { "; a value that starts with a dash is given as --\(option.name)=\($0)" }
    return HistoryError(
      .usage, "--\(option.name) needs a value", hint: "write \(option.label)\(dashed ?? "")")
  }

  static func unexpectedValue(_ option: OptionSpecification) -> HistoryError {
    HistoryError(
      .usage, "--\(option.name) takes no value", hint: "write --\(option.name) alone")
  }

  static func repeated(_ option: OptionSpecification) -> HistoryError {
    HistoryError(.usage, "--\(option.name) is given twice", hint: "give it once")
  }

  static func excluded(_ option: String, by other: String) -> HistoryError {
    HistoryError(
      .usage, "--\(option) and --\(other) cannot be used together", hint: "leave one of them out")
  }

  static func needsOneOf(
    _ options: [OptionSpecification], of command: CommandSpecification
  ) -> HistoryError {
    HistoryError(
      .usage, "\(command.name) needs \(command.need)",
      hint: "give \(alternatives(options.map(\.label)))")
  }

  static func missingOperand(
    _ operand: OperandSpecification, of command: CommandSpecification, action: String?
  ) -> HistoryError {
    let message =
      operand.kind == .database ? "no database is named" : "the \(operand.name) is missing"
    return HistoryError(.usage, message, hint: usageHint(command, action))
  }

  static func extraOperands(
    _ count: Int, of command: CommandSpecification, action: String?
  ) -> HistoryError {
    let name = [command.name, action].compactMap(\.self).joined(separator: " ")
    return HistoryError(
      .usage, "\(name) got \(count == 1 ? "1 argument" : "\(count) arguments") too many",
      hint: usageHint(command, action))
  }

  static func commandComesFirst(_ command: String, database: String) -> HistoryError {
    HistoryError(
      .usage, "the command comes before the database",
      hint: "write: historywatch \(command) \(shortened(database))")
  }

  private static func usageHint(_ command: CommandSpecification, _ action: String?) -> String {
    let lines = command.usage
    let chosen = lines.first { line in action.map { line.contains(" \($0) ") } ?? true }
    return "usage: historywatch \(chosen ?? lines.joined(separator: " or "))"
  }
}
