import HistoryModel

/// A size such as `64KB`, `64MB` or `1GB`, as an argument.
struct SizeArgument: Hashable, Sendable {
  /// The size in bytes.
  let bytes: Int

  /// Reads a whole number with its unit, in upper or lower case; 1 KB is 1024 bytes.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - place: What it belongs to, as in `--max-size`.
  /// - Throws: ``HistoryError`` with code `usage` if it is not such a size or too large.
  init(_ text: String, for place: String) throws(HistoryError) {
    guard let measured = MeasuredText(text), let factor = Self.bytes(of: measured.unit) else {
      throw .malformed(
        text, for: place, "a size", hint: "Write a whole number and a unit: 64KB, 64MB or 1GB.")
    }
    guard let bytes = measured.product(factor, limit: .max) else {
      throw .tooLarge(text, for: place)
    }
    self.bytes = bytes
  }

  private static func bytes(of unit: Substring) -> Int? {
    switch unit.uppercased() {
    case "KB": 1 << 10
    case "MB": 1 << 20
    case "GB": 1 << 30
    default: nil
    }
  }
}
