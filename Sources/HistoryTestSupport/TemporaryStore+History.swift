public import HistoryModel
public import HistoryStore
import SQLite

extension TemporaryStore {
  /// Opens the store for its history.
  ///
  /// - Returns: The store, writable, without a busy timeout.
  /// - Throws: `HistoryError` when it cannot be opened.
  public func opened() throws -> TrackedStore {
    try TrackedStore(path: path, access: .readWrite, busyTimeout: 0)
  }

  /// Tracks tables.
  ///
  /// - Parameters:
  ///   - tables: Their names; none for all.
  ///   - capture: How much to capture.
  ///   - omitsTimes: Whether to leave times out.
  /// - Returns: What was done.
  /// - Throws: What tracking throws.
  @discardableResult
  public func track(
    _ tables: String..., capture: Capture? = nil, omitsTimes: Bool = false
  ) throws -> Tracker.Outcome {
    try Tracker(opened()).track(
      Tracker.Request(tables: tables, capture: capture, omitsTimes: omitsTimes))
  }

  /// Reads history up to the head.
  ///
  /// - Parameters:
  ///   - token: Where to begin; nil for the oldest position.
  ///   - filter: Which changes are wanted.
  /// - Returns: What was read.
  /// - Throws: What reading throws.
  public func recorded(
    after token: HistoryToken? = nil, filter: ChangeFilter = ChangeFilter()
  ) throws -> HistoryRecorder {
    let store = try opened()
    let recorder = try HistoryRecorder(
      store, after: token ?? store.state().oldest, filter: filter)
    try recorder.read()
    return recorder
  }
}
