public import HistoryModel
import SQLite

extension TrackedStore {
  /// A position, not after a row, at which every later reader ends a transaction.
  ///
  /// It lets a reader who wants the newest transactions begin near the head: what it reads from
  /// there on is divided exactly as for a reader who begins at the oldest.
  ///
  /// - Parameters:
  ///   - sequence: The row.
  ///   - end: A position after it between two transactions, beyond which none that surrounds the
  ///     row can reach.
  /// - Returns: The position; `oldest` when there is none before the row.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  /// - Complexity: O(log *h* + *n*) for *n* rows of the transactions around the position.
  public func boundary(
    notAfter sequence: Int64, before end: HistoryToken
  ) throws(HistoryError) -> HistoryToken {
    try HistoryError.translating(at: path) {
      try connection.transaction(.deferred) {
        let header = try StoreHeader(connection)
        var multiple = try multiple(before: sequence)
        while multiple > header.trimmed {
          if let cut = try cut(after: multiple), cut <= sequence {
            return try token(at: start(ofTagAround: cut, before: end.sequence), of: header)
          }
          multiple = try self.multiple(before: multiple)
        }
        return header.oldest
      }
    }
  }

  /// The last multiple of the length of a run before a row that is there.
  private func multiple(before sequence: Int64) throws -> Int64 {
    let row = try connection.row(
      "SELECT sequence FROM _history_change WHERE sequence <= ? ORDER BY sequence DESC LIMIT 1",
      .integer(sequence))
    return ((row?[0].integer ?? 0) - 1) / UntaggedRun.length * UntaggedRun.length
  }

  /// The last row before the first statement or transaction that begins after a row.
  private func cut(after row: Int64) throws -> Int64? {
    let rows = try prepared(.cut)
    defer { rows.reset() }
    try rows.bind(.integer(row), at: 1)
    var last: Double?
    while try rows.step() {
      let sequence = rows.int64(at: 0)
      switch rows.int64(at: 1) {
      case Layout.Mark.more: continue
      case Layout.Mark.tag, Layout.Mark.closed: return sequence
      default: break
      }
      let time = rows.julianDay(at: 2)
      if sequence > row, last != time || time == nil { return sequence - 1 }
      last = time
    }
    return nil
  }

  /// The row before the tagged transaction that a position lies inside, or the position itself.
  private func start(ofTagAround position: Int64, before end: Int64) throws -> Int64 {
    let next = try connection.row(
      """
      SELECT what, v2 FROM _history_change
      WHERE sequence > ? AND sequence <= ? AND what IN (1, 2, 3) ORDER BY sequence LIMIT 1
      """, .integer(position), .integer(end))
    switch next?[0].integer {
    case Layout.Mark.tag:
      return min(position, max(next?[1].integer ?? position + 1, 1) - 1)
    case Layout.Mark.closed:
      let open = try connection.row(
        """
        SELECT sequence, what FROM _history_change WHERE sequence <= ? AND what IN (1, 2, 3)
        ORDER BY sequence DESC LIMIT 1
        """, .integer(position))
      guard open?[1].integer == Layout.Mark.opened, let sequence = open?[0].integer else {
        return position
      }
      return sequence - 1
    default:
      return position
    }
  }
}
