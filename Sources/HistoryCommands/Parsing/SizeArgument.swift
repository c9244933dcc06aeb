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
    do throws(MeasuredText.Fault) {
      bytes = try MeasuredText.bytes(text)
    } catch {
      throw .notMeasured(
        error, text, for: place, "a size",
        hint: "write a whole number and a unit: 64KB, 64MB or 1GB")
    }
  }
}
