import HistoryModel

/// A whole number from zero, as an argument.
struct CountArgument: Hashable, Sendable {
  /// The number.
  let count: Int

  /// Reads digits, and nothing but digits.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - place: What it belongs to, as in `--limit`.
  /// - Throws: ``HistoryError`` with code `usage` if it is not such a number or too large.
  init(_ text: String, for place: String) throws(HistoryError) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      throw .malformed(text, for: place, "a whole number", hint: "write digits only, as in 100")
    }
    guard let count = Int(text) else { throw .tooLarge(text, for: place, limit: "\(Int.max)") }
    self.count = count
  }
}
