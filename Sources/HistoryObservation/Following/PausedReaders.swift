import HistoryModel
import HistoryStore

/// Readers that stand between two pages, for whoever comes back for the next one.
///
/// To know that a row is untagged a reader looks ahead to the next tag, or to the head. One that
/// were made anew for each page would do so each time, and a long history without tags would take
/// time with the square of its length.
struct PausedReaders {
  /// How many are kept; the one that was paused first goes first.
  private static let limit = 16

  private var readers: [HistoryReader] = []

  /// Keeps a reader that has just given the last item of a transaction.
  mutating func keep(_ reader: HistoryReader) {
    if readers.count == Self.limit { readers.removeFirst() }
    readers.append(reader)
  }

  /// Gives out a reader that goes on from a position, if there is one.
  mutating func take(
    _ store: TrackedStore, after position: HistoryToken, filter: ChangeFilter
  ) -> HistoryReader? {
    let index = readers.firstIndex {
      $0.token == position && $0.filter == filter && $0.store === store
    }
    return index.map { readers.remove(at: $0) }
  }
}
