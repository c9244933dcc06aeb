import HistoryModel

/// What an option's value looks like: its name in the help, its form, what completes it.
struct ValueSpecification: Sendable {
  /// The forms a value can have.
  enum Form: Hashable, Sendable {
    /// Any text.
    case text
    /// One of the words and nothing else.
    case choice
    /// A path.
    case file
    /// A whole number from zero.
    case count
    /// A number with a unit of time.
    case duration
    /// A number with a unit of size.
    case size
    /// So many in a day.
    case budget
  }

  /// What stands for the value in a usage line.
  let name: String
  /// The form it must have.
  let form: Form
  /// The words it can be or that have a meaning of their own; completion offers them.
  let words: [String]
  /// Whether it may be the empty text.
  let mayBeEmpty: Bool

  private init(_ name: String, _ form: Form, words: [String] = [], mayBeEmpty: Bool = false) {
    self.name = name
    self.form = form
    self.words = words
    self.mayBeEmpty = mayBeEmpty
  }

  /// A path.
  static let file = ValueSpecification("FILE", .file)
  /// The path of a directory.
  static let directory = ValueSpecification("DIRECTORY", .file)
  /// The path of a database to copy.
  static let backup = ValueSpecification("BACKUP", .file)
  /// The path of a database to follow.
  static let source = ValueSpecification("SOURCE", .file)
  /// A whole number from zero.
  static let count = ValueSpecification("N", .count)
  /// A time such as `10s`.
  static let duration = ValueSpecification("DURATION", .duration)
  /// A size such as `64MB`.
  static let size = ValueSpecification("SIZE", .size)
  /// So many in a day, such as `50/day`.
  static let budget = ValueSpecification("N/day", .budget)

  /// Any text.
  static func text(_ name: String, mayBeEmpty: Bool = false) -> ValueSpecification {
    ValueSpecification(name, .text, mayBeEmpty: mayBeEmpty)
  }

  /// One of these words and nothing else.
  static func choice(_ words: [String]) -> ValueSpecification {
    ValueSpecification(words.joined(separator: "|"), .choice, words: words)
  }

  /// A token, or one of the words that stand for a position.
  static func token(or words: [String] = []) -> ValueSpecification {
    ValueSpecification((["TOKEN"] + words).joined(separator: "|"), .text, words: words)
  }

  /// Checks the form of a value.
  ///
  /// - Parameters:
  ///   - text: The value as given.
  ///   - place: What the value belongs to, as in `--limit`.
  /// - Throws: ``HistoryError`` with code `usage` that names the place and the form.
  func check(_ text: String, for place: String) throws(HistoryError) {
    if text.isEmpty && !mayBeEmpty { throw .emptyValue(place) }
    switch form {
    case .text, .file: return
    case .choice:
      if !words.contains(text) { throw .notAChoice(text, of: words, for: place) }
    case .count: _ = try CountArgument(text, for: place)
    case .duration: _ = try DurationArgument(text, for: place)
    case .size: _ = try SizeArgument(text, for: place)
    case .budget: _ = try BudgetArgument(text, for: place)
    }
  }
}
