public import HistoryModel
import SQLite

/// How large a history is.
public struct HistorySize: Sendable, Hashable {
  /// How many rows it has.
  public let rows: Int64
  /// About how many bytes they take.
  public let bytes: Int64
}

extension TrackedStore {
  /// Estimates the size of the history from a sample of its rows.
  ///
  /// - Returns: The number of rows, which is exact, and of bytes, which is not.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked`.
  /// - Complexity: O(log *h*) for *h* rows of history.
  public func size() throws(HistoryError) -> HistorySize {
    let state = try state()
    return try HistoryError.translating(at: path) {
      let first = state.oldest.sequence
      let count = state.head.sequence - first
      guard count > 0 else { return HistorySize(rows: 0, bytes: 0) }
      let statement = try prepared(.sample)
      defer { statement.reset() }
      var sampled: Int64 = 0
      var bytes: Int64 = 0
      let step = max(1, count / 256)
      for sequence in stride(from: first + 1, through: state.head.sequence, by: Int(step)) {
        statement.reset()
        try statement.bind(.integer(sequence), at: 1)
        guard try statement.step() else { continue }
        sampled += 1
        bytes += RowSize(statement, from: 0).bytes
      }
      let mean = sampled > 0 ? Double(bytes) / Double(sampled) : 0
      return HistorySize(rows: count, bytes: Int64(min(mean * Double(count), 0x1p62)))
    }
  }
}

extension Statement {
  /// About how many bytes a value takes in a row.
  func storedSize(at column: Int) -> Int64 {
    switch storage(at: column) {
    case .null: 1
    case .integer, .real: 8
    case .text, .blob: Int64(byteCount(at: column)) + 2
    }
  }
}
