import HistoryModel

/// A time such as `250ms`, `10s`, `5m`, `2h` or `7d`, as an argument.
struct DurationArgument: Hashable, Sendable {
  /// The time.
  let duration: Duration

  /// Reads a whole number with its unit.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - place: What it belongs to, as in `--timeout`.
  /// - Throws: ``HistoryError`` with code `usage` if it is not such a time or too long.
  init(_ text: String, for place: String) throws(HistoryError) {
    do throws(MeasuredText.Fault) {
      duration = try MeasuredText.duration(text)
    } catch {
      throw .notMeasured(
        error, text, for: place, "a time",
        hint: "write a whole number and a unit: 250ms, 10s, 5m, 2h or 7d")
    }
  }
}
