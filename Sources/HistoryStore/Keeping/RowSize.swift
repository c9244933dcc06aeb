import SQLite

/// How large a row of the history is, and what that costs.
///
/// How long a lock is held follows from it, and not from how many rows there are: one may have three
/// hundred kilobytes.
struct RowSize {
  /// About how many bytes its values take, and the row itself.
  let bytes: Int64

  /// Measures the row that a statement stands on.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - start: The column of the first value.
  init(_ statement: Statement, from start: Int) {
    var bytes: Int64 = 20
    for column in start..<(start + Layout.slots) { bytes += statement.storedSize(at: column) }
    self.bytes = bytes
  }

  /// What reading it costs, in small rows: copying is cheap.
  var costToRead: Int64 { 1 + bytes >> 10 }
  /// What deleting it costs, in small rows: each page that it has of its own is looked up and freed.
  var costToDelete: Int64 { 1 + bytes >> 7 }
}
