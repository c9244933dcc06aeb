import HistoryModel
import HistoryStore

/// Something that reads from the store by itself once everybody was told what is new.
///
/// Confined to the loop of its hub.
protocol StoreFeed: AnyObject {
  /// Whether nobody wants it any more.
  var isGone: Bool { get }

  /// Something was committed.
  func take(_ item: HistoryItem, values: CellBuffer)

  /// Reads what it needs, without staying long.
  ///
  /// - Throws: `HistoryError` where the store is locked, so that it has to be asked again.
  func refresh() throws(HistoryError)

  /// The path leads to another file with the same store, or the store was restored.
  func storeChanged(_ store: TrackedStore)

  /// The store can no longer be read, or another one is in its place.
  func closed(_ error: HistoryError)
}
