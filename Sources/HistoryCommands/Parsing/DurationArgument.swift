import HistoryModel

/// A time such as `250ms`, `10s`, `5m`, `2h` or `7d`, as an argument.
struct DurationArgument: Hashable, Sendable {
  /// The time.
  let duration: Duration

  /// Milliseconds in a hundred years: more is a slip, and could not be added to a date.
  private static let limit = 36_525 * 86_400_000

  /// Reads a whole number with its unit.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - place: What it belongs to, as in `--timeout`.
  /// - Throws: ``HistoryError`` with code `usage` if it is not such a time or too long.
  init(_ text: String, for place: String) throws(HistoryError) {
    guard let measured = MeasuredText(text), let factor = Self.milliseconds(of: measured.unit)
    else {
      throw .malformed(
        text, for: place, "a time",
        hint: "Write a whole number and a unit: 250ms, 10s, 5m, 2h or 7d.")
    }
    guard let milliseconds = measured.product(factor, limit: Self.limit) else {
      throw .tooLarge(text, for: place)
    }
    duration = .milliseconds(milliseconds)
  }

  private static func milliseconds(of unit: Substring) -> Int? {
    switch unit {
    case "ms": 1
    case "s": 1_000
    case "m": 60_000
    case "h": 3_600_000
    case "d": 86_400_000
    default: nil
    }
  }
}
