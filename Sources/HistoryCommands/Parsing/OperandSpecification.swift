import HistoryModel

/// One thing that a command acts on: an argument without a name.
struct OperandSpecification: Sendable {
  /// What an operand is.
  enum Kind: Hashable, Sendable {
    /// The path of a database.
    case database
    /// A name or a token.
    case text
    /// Statements, which never appear in a message.
    case sql
    /// One of these words.
    case choice([String])
    /// A program and its arguments, all that follows `--`; the last operand only.
    case command
  }

  /// How often an operand occurs.
  enum Presence: Hashable, Sendable {
    case required
    /// Required unless the option of this name says where to find it.
    case requiredWithout(String)
    case optional
    /// Any number, the last operand only.
    case repeated
  }

  /// What stands for it in a usage line.
  let name: String
  /// What it is.
  let kind: Kind
  /// How often it occurs.
  let presence: Presence

  /// Makes an operand.
  ///
  /// - Parameters:
  ///   - name: What stands for it in a usage line.
  ///   - kind: What it is.
  ///   - presence: How often it occurs.
  init(_ name: String, _ kind: Kind = .text, _ presence: Presence = .required) {
    self.name = name
    self.kind = kind
    self.presence = presence
  }

  /// The database that nearly every command acts on.
  static let database = OperandSpecification("DATABASE", .database)

  /// The program that a command runs, and its arguments.
  static let command = OperandSpecification("COMMAND", .command)

  /// The operand in a usage line.
  var label: String {
    let label = kind == .command ? "-- \(name) [ARGUMENT...]" : name
    return switch presence {
    case .required, .requiredWithout: label
    case .optional: "[\(label)]"
    case .repeated: "[\(name)...]"
    }
  }

  /// Whether it may be several words.
  var takesSeveral: Bool { presence == .repeated || kind == .command }

  /// Whether it has to be there, with these options.
  func isRequired(with options: some Collection<String>) -> Bool {
    switch presence {
    case .required: true
    case .requiredWithout(let option): !options.contains(option)
    case .optional, .repeated: false
    }
  }

  /// The words that completion can offer.
  var words: [String] {
    if case .choice(let words) = kind { words } else { [] }
  }

  /// Checks one operand as given.
  func check(_ text: String) throws(HistoryError) {
    switch kind {
    case .sql: return
    case .database, .text, .command:
      if text.isEmpty { throw .emptyValue(name) }
    case .choice(let words):
      if !words.contains(text) { throw .notAChoice(text, of: words, for: name) }
    }
  }
}
