import HistoryModel

/// The parts in which a run of untagged changes came, so that what is held of it is known when the
/// run comes again, in one piece or in others.
///
/// A stream that follows shows untagged changes as they are committed, and a later one as a run that
/// goes on until its writer paused. The later one's run begins where one of the parts did.
struct UntaggedParts: Equatable {
  /// So many are remembered: a run is no longer than some ten thousand changes.
  private static let limit = 256

  private struct Part: Equatable {
    var number: Int64
    var changes: Int
  }

  private var parts: [Part] = []

  /// Reads what ``text`` gave.
  init(_ text: String) {
    parts = text.split(separator: " ").compactMap { part in
      let numbers = part.split(separator: ":").compactMap { Int64($0) }
      guard numbers.count == 2 else { return nil }
      return Part(number: numbers[0], changes: Int(numbers[1]))
    }
  }

  /// The parts as text, to be kept.
  var text: String { parts.map { "\($0.number):\($0.changes)" }.joined(separator: " ") }

  /// Takes in the next transaction.
  ///
  /// - Parameters:
  ///   - transaction: The transaction.
  ///   - held: The position up to which everything is held.
  /// - Returns: What of the transaction is not held yet.
  /// - Throws: `HistoryError` with code `discontinuity` when that cannot be told.
  mutating func take(
    _ transaction: HistoryTransaction, after held: HistoryToken?
  ) throws(HistoryError) -> HistoryTransaction {
    // What came to the source from elsewhere has a tag there, whether or not it has an author.
    guard !transaction.isTagged, transaction.origin == nil else {
      parts = []
      return transaction
    }
    var count = 0
    if let held, transaction.number <= held.sequence {
      guard let first = parts.firstIndex(where: { $0.number == transaction.number }) else {
        throw .partOfRun()
      }
      count = parts[first...].reduce(0) { $0 + $1.changes }
      parts.removeSubrange(first...)
    }
    // Under a filter the places in the whole transaction have gaps, and counting tells nothing.
    guard let last = transaction.changes.last, last.index + 1 == transaction.changes.count,
      count < transaction.changes.count
    else {
      guard count == 0 else { throw .partOfRun() }
      parts = []
      return transaction
    }
    parts.append(Part(number: transaction.number, changes: transaction.changes.count))
    if parts.count > Self.limit { parts.removeFirst() }
    return count == 0 ? transaction : transaction.dropping(first: count)
  }
}
