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

  /// What is amiss with capture was found, which has no position yet.
  func take(_ notice: CaptureNotice)

  /// Everything up to a position was taken.
  ///
  /// Called at the moment at which all others are told, without anything in between.
  func caughtUp(at token: HistoryToken)

  /// Reads what it needs, without staying long.
  ///
  /// - Throws: `HistoryError` where the store is locked, so that it has to be asked again.
  func refresh() throws(HistoryError)

  /// The path leads to another file with the same store, or the store was restored.
  func storeChanged(_ store: TrackedStore)

  /// What follows the positions of before cannot be read any more; it goes on at another one.
  func positionsExpired(_ error: HistoryError, at token: HistoryToken)

  /// The store can no longer be read, or another one is in its place.
  func closed(_ error: HistoryError)
}

extension StoreFeed {
  /// Does nothing: what is read anew at each head needs no word of it.
  func take(_ notice: CaptureNotice) {}

  /// Does nothing: what it reads is read afterwards.
  func caughtUp(at token: HistoryToken) {}

  /// Does nothing: it has no position of its own.
  func positionsExpired(_ error: HistoryError, at token: HistoryToken) {}
}
