import HistoryModel

/// So many in a day, such as `50/day`, as an argument.
struct BudgetArgument: Hashable, Sendable {
  /// How many, at least one.
  let perDay: Int

  /// Reads a whole number and `/day`.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - place: What it belongs to, as in `--budget`.
  /// - Throws: ``HistoryError`` with code `usage` if it is none, zero or too large.
  init(_ text: String, for place: String) throws(HistoryError) {
    do throws(MeasuredText.Fault) {
      perDay = try MeasuredText.perDay(text)
    } catch {
      throw .notMeasured(
        error, text, for: place, "so many in a day",
        hint: "write a whole number from 1 and /day, as in 50/day")
    }
  }
}
