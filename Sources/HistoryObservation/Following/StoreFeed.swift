import HistoryModel
import HistoryStore

/// Something that reads from the store by itself whenever everybody was told what is new.
///
/// Confined to the loop of its hub.
protocol StoreFeed: AnyObject {
  /// Whether nobody wants it any more.
  var isGone: Bool { get }

  /// Reads what it needs, without staying long.
  func refresh()

  /// The schema is another.
  func schemaChanged()

  /// The path leads to another file, or the store to another state.
  func storeChanged(_ store: TrackedStore)

  /// The store can no longer be read.
  func failed(_ error: HistoryError)
}
