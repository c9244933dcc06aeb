import HistoryModel

// What is said about a value on the command line that cannot be.

extension HistoryError {
  static func emptyValue(_ place: String) -> HistoryError {
    HistoryError(
      .usage, "\(place) is empty", hint: "if it comes from a shell variable, is that set?")
  }

  static func notAChoice(_ text: String, of words: [String], for place: String) -> HistoryError {
    let nearest = NearestWord.of(text, among: words)
    return HistoryError(
      .usage, "\(place) cannot be \(quoted(text))",
      hint: nearest.map { "did you mean \($0)? it can be \(alternatives(words))" }
        ?? "it can be \(alternatives(words))")
  }

  static func malformed(
    _ text: String, for place: String, _ form: String, hint: String
  ) -> HistoryError {
    HistoryError(.usage, "\(place) must be \(form), not \(quoted(text))", hint: hint)
  }

  static func notMeasured(
    _ fault: MeasuredText.Fault, _ text: String, for place: String, _ form: String, hint: String
  ) -> HistoryError {
    switch fault {
    case .malformed: malformed(text, for: place, form, hint: hint)
    case .tooLarge(let limit): tooLarge(text, for: place, limit: limit)
    }
  }

  static func tooLarge(_ text: String, for place: String, limit: String) -> HistoryError {
    HistoryError(
      .usage, "\(place) is too large: \(shortened(text))", hint: "it can be \(limit) at most")
  }

  /// Puts a word of the command line into quotation marks, cut where it is long.
  static func quoted(_ text: String) -> String { "\"\(shortened(text))\"" }

  /// Cuts a word of the command line where it is long.
  static func shortened(_ text: String) -> String {
    text.count > 60 ? text.prefix(57) + "..." : text
  }

  /// Joins words to "a, b or c".
  static func alternatives(_ words: [String]) -> String { joined(words, "or") }

  /// Joins words to "a, b and c".
  static func enumeration(_ words: [String]) -> String { joined(words, "and") }

  private static func joined(_ words: [String], _ last: String) -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) \(last) \(end)"
  }
}
