import HistoryModel
import SQLite

extension TrackedStore {
  /// A consumer that holds history back.
  struct Holder {
    let name: String
    let sequence: Int64
    /// Whether it was moved by a clock that was ahead, so that nobody knows for how long it holds.
    let isAhead: Bool
  }

  /// The consumer that is furthest behind and still holds history back.
  func holder() throws -> Holder? {
    let statement = try prepared(.holder)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return Holder(
      name: statement.text(at: 0) ?? "", sequence: statement.int64(at: 1),
      isAhead: statement.int64(at: 2) != 0)
  }

  /// Dates consumers that were moved by a clock that was ahead as if they were moved now, inside a
  /// write transaction of the caller's: they hold history back as long as others, and not for ever.
  func dateConsumers() throws { try prepared(.dateConsumers).run() }

  /// How many bytes the pages that are in use have, the application's included.
  func usedBytes() throws -> Int64 {
    let statement = try prepared(.usedBytes)
    defer { statement.reset() }
    return try statement.step() ? statement.int64(at: 0) : 0
  }

  /// Moves `oldest`, inside a write transaction of the caller's.
  ///
  /// - Parameters:
  ///   - cut: Where to.
  ///   - isForced: Whether to do it also where a consumer has not read what is before it.
  /// - Returns: Whether it could: not where a consumer has come to hold it back meanwhile, somebody
  ///   else has moved it there or further, or the position is no longer one of this history.
  /// - Throws: What SQLite and the history report.
  func advance(to cut: HistoryToken, isForced: Bool = false) throws -> Bool {
    let header = try header()
    guard cut.storeIdentifier == header.identifier, cut.sequence > header.trimmed,
      try expiry(of: cut, in: header) == nil,
      try isForced || holder()?.sequence ?? .max >= cut.sequence
    else { return false }
    let statement = try prepared(.advance)
    try statement.bind([
      .integer(cut.sequence), .integer(Int64(bitPattern: cut.check)),
    ])
    try statement.run()
    return true
  }

  /// The rows of history that nobody can read any more; nil when there are none.
  ///
  /// The newest row stays, also where it was trimmed: its sequence must not be used again (fact 30).
  func sweepable() throws -> ClosedRange<Int64>? {
    let ends = try prepared(.ends)
    defer { ends.reset() }
    guard try ends.step(), !ends.isNull(at: 0) else { return nil }
    let (first, last) = (ends.int64(at: 0), ends.int64(at: 1))
    guard first < last else { return nil }
    let end = min(last - 1, ends.int64(at: 2))
    return first <= end ? first...end : nil
  }

  /// How far a deletion goes that may cost so much.
  ///
  /// - Parameters:
  ///   - first: The first row.
  ///   - last: The last row that may be deleted.
  ///   - budget: What it may cost, as ``RowSize/costToDelete`` has it.
  /// - Returns: The last row of it, which is `first` at least, and what it costs.
  /// - Throws: What SQLite reports.
  func rowsToDelete(
    from first: Int64, through last: Int64, costing budget: Int64
  ) throws -> (through: Int64, cost: Int64) {
    let statement = try prepared(.measureForth)
    defer { statement.reset() }
    try statement.bind(.integer(max(first, .min + 1) - 1), at: 1)
    try statement.bind(.integer(last), at: 2)
    var (through, cost) = (first, Int64(0))
    while cost < budget, try statement.step() {
      let row = RowSize(statement, from: 1).costToDelete
      // A large row has a step of its own.
      if cost > 0, cost + row > budget { break }
      through = statement.int64(at: 0)
      cost += row
    }
    return (through, cost)
  }
}
