import HistoryModel

/// What is wrong with a configuration, and which value of it is.
struct ConfigurationFault: Error {
  /// What is wrong, as a sentence without its full stop.
  let reason: String
  /// What to do about it.
  var hint: String?
  /// Which value it is.
  let place: [JSONPosition.Step]
}

extension HistoryError {
  /// A fault with the place where an editor finds it.
  static func configuration(
    _ path: String, _ reason: String, at position: JSONPosition?, hint: String?
  ) -> HistoryError {
    let place = position.map { ":\($0.line):\($0.column)" } ?? ""
    return HistoryError(
      .usage, "\(path)\(place): \(reason)", hint: hint ?? "nothing of the file was taken over")
  }

  static func configurationMissing(_ path: String) -> HistoryError {
    HistoryError(.usage, "there is no configuration file \(path)", hint: "check the path")
  }

  static func configurationNotRead(_ path: String, _ why: String) -> HistoryError {
    HistoryError(
      .usage, "the configuration file \(path) cannot be read: \(why)",
      hint: "check its permissions")
  }
}

/// Texts of the file in a sentence.
enum Quotation {
  /// Puts a text into quotation marks, cut where it is long and without what would disturb a
  /// terminal.
  static func of(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(60).map {
      $0.properties.generalCategory == .control ? "?" : String($0)
    }
    return "\"\(shown.joined())\(text.unicodeScalars.count > 60 ? "..." : "")\""
  }

  /// Joins words to "a, b or c".
  static func alternatives(_ words: [String]) -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return "\(words.dropLast().joined(separator: ", ")) or \(last)"
  }
}
