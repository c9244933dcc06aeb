/// One piece of the command line, before the command is known.
enum ArgumentWord: Hashable, Sendable {
  /// An argument without a name. After `--` it is never a command or an option.
  case operand(String, isLiteral: Bool)
  /// An option with its dashes, and its value if one came with it.
  case option(String, value: String?)

  /// Takes a command line apart.
  ///
  /// A word that starts with a dash is never taken as the value of the option before it, so that
  /// a forgotten value shows; such a value is given as `--name=-5`. A single dash is an operand
  /// or a value, and so is an SQL text that begins with a comment.
  ///
  /// - Parameters:
  ///   - arguments: What followed the program's name.
  ///   - takesValue: Whether the option of that name has a value.
  /// - Returns: The pieces, in order.
  static func split(_ arguments: [String], takesValue: (String) -> Bool) -> [ArgumentWord] {
    var words: [ArgumentWord] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest.map { .operand($0, isLiteral: true) }
        break
      }
      guard looksLikeOption(argument) else {
        words.append(.operand(argument, isLiteral: false))
        continue
      }
      if let sign = argument.firstIndex(of: "=") {
        let value = String(argument[argument.index(after: sign)...])
        words.append(.option(String(argument[..<sign]), value: value))
      } else if takesValue(String(argument.drop { $0 == "-" })), let next = rest.first,
        !looksLikeOption(next)
      {
        words.append(.option(argument, value: next))
        rest.removeFirst()
      } else {
        words.append(.option(argument, value: nil))
      }
    }
    return words
  }

  /// Whether an argument is meant as an option: it starts with a dash and is not an SQL comment.
  private static func looksLikeOption(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), argument.count > 1 else { return false }
    guard argument.hasPrefix("--"), let third = argument.dropFirst(2).first else { return true }
    return !third.isWhitespace
  }
}
