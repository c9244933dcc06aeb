import HistoryModel
import SQLite

/// Knows how many bytes of values the newest part of a history has, and from which row on the rest
/// is too much.
///
/// It reads each row once: at first from the newest back, as far as the limit goes, and from then
/// on what is added. It keeps sums of neighbouring rows, some hundreds of them.
final class HistoryGauge {
  /// Neighbouring rows.
  private struct Stretch {
    var last: Int64
    var bytes: Int64
  }

  /// How many stretches the limit is divided into.
  private static let fineness: Int64 = 256

  private let store: TrackedStore
  private let limit: Int64
  private var stretches: [Stretch] = []
  private var total: Int64 = 0
  /// The first and last row that were measured.
  private var measured: (first: Int64, last: Int64)?

  init(_ store: TrackedStore, limit: Int64) {
    self.store = store
    self.limit = limit
  }

  /// The row up to which nothing fits any more; 0 when everything does that was measured.
  var overflow: Int64 {
    guard total > limit else { return 0 }
    var rest = limit
    for stretch in stretches.reversed() {
      rest -= stretch.bytes
      if rest < 0 { return stretch.last }
    }
    return 0
  }

  /// Measures on.
  ///
  /// - Parameters:
  ///   - oldest: The row before the oldest that counts.
  ///   - newest: The newest row.
  ///   - rows: How many rows to read at most; a kilobyte of values counts as one.
  /// - Returns: Whether nothing is left to be measured.
  /// - Throws: What SQLite reports.
  /// - Complexity: O(*n*) for *n* rows read.
  func measure(from oldest: Int64, to newest: Int64, rows: Int) throws -> Bool {
    // A restored store has other rows than those that were measured.
    if let measured, measured.last > newest { forget() }
    drop(through: oldest)
    var (first, last) = measured ?? (newest + 1, newest)
    defer { measured = (first, last) }
    var left = Int64(rows)
    try each(store.prepared(.measureForth), last, newest, &left) { sequence, bytes in
      add(bytes, after: sequence)
      last = sequence
      return true
    }
    guard left > 0 else { return false }
    // Sequences may have gaps: what was not found is not there.
    last = newest
    guard total <= limit, first > oldest + 1 else { return true }
    try each(store.prepared(.measureBack), oldest, first - 1, &left) { sequence, bytes in
      add(bytes, before: sequence)
      first = sequence
      return total <= limit
    }
    guard left > 0 else { return false }
    if total <= limit { first = oldest + 1 }
    return true
  }

  private func each(
    _ statement: Statement, _ after: Int64, _ through: Int64, _ left: inout Int64,
    _ body: (Int64, Int64) -> Bool
  ) throws {
    guard left > 0, after < through else { return }
    defer { statement.reset() }
    try statement.bind(.integer(after), at: 1)
    try statement.bind(.integer(through), at: 2)
    while left > 0, try statement.step() {
      let row = RowSize(statement, from: 1)
      left -= row.costToRead
      guard body(statement.int64(at: 0), row.bytes) else { return }
    }
  }

  private func add(_ bytes: Int64, after sequence: Int64) {
    total += bytes
    if let last = stretches.indices.last, stretches[last].bytes < grain {
      stretches[last].bytes += bytes
      stretches[last].last = sequence
    } else {
      stretches.append(Stretch(last: sequence, bytes: bytes))
    }
    // Somebody holds much back: the oldest sums need not be fine.
    if stretches.count > 4 * Self.fineness {
      stretches[1].bytes += stretches[0].bytes
      stretches.removeFirst()
    }
  }

  private func add(_ bytes: Int64, before sequence: Int64) {
    total += bytes
    if let first = stretches.first, first.bytes < grain {
      stretches[0].bytes += bytes
    } else {
      stretches.insert(Stretch(last: sequence, bytes: bytes), at: 0)
    }
  }

  private var grain: Int64 { max(limit / Self.fineness, 1) }

  /// Rows up to one no longer count; of a stretch that goes on after it the whole still does.
  private func drop(through oldest: Int64) {
    let gone = stretches.prefix { $0.last <= oldest }
    total -= gone.reduce(0) { $0 + $1.bytes }
    stretches.removeFirst(gone.count)
    if let measured, measured.first <= oldest {
      self.measured = (oldest + 1, max(measured.last, oldest))
    }
  }

  private func forget() {
    stretches = []
    total = 0
    measured = nil
  }
}
