import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite

/// What a store promised before something went wrong, to be asked for afterwards.
struct StoreExpectation: Sendable {
  /// A position that was handed out, and what followed it.
  private struct Promise: Sendable {
    let token: HistoryToken
    let lines: [String]
  }

  private var promises: [Promise] = []
  /// The rows at the last position.
  private let image: RowImage

  /// Asks a store that nobody writes to.
  init(_ scene: FaultScene, isTracked: Bool) throws {
    image = try RowImage(Connection(path: scene.path), tables: ["tasks", "notes"])
    guard isTracked else { return }
    let store = try scene.opened()
    let recorder = try HistoryRecorder(store, after: store.state().oldest)
    try recorder.read()
    let tokens = try [store.state().oldest] + recorder.events.map(\.token)
    for token in tokens {
      let rest = try HistoryRecorder(store, after: token)
      try rest.read()
      promises.append(Promise(token: token, lines: rest.lines))
    }
  }

  /// What a store does not keep of what was promised.
  ///
  /// - Returns: A sentence for each.
  func broken(by path: String, _ subject: FaultSubject) throws -> [String] {
    let connection = try Connection(path: path)
    defer { try? connection.close() }
    var faults: [String] = []
    let integrity = try connection.rows("PRAGMA integrity_check").compactMap { $0[0].text }
    if integrity != ["ok"] { faults.append("integrity: \(integrity)") }
    // Nobody holds a lock any more.
    try connection.transaction(.immediate) {}
    guard !promises.isEmpty, subject.file == "store.db" else { return faults }
    let store = try TrackedStore(path: path, access: .readWrite, busyTimeout: 0)
    if subject.dropsHistory, !isTracked(store) { return faults }
    for promise in promises {
      guard let recorder = try read(store, promise, subject, &faults) else { continue }
      // The positions are in order, so the last one says what followed everything.
      guard promise.token == promises.last?.token else { continue }
      faults += try differences(recorder, connection)
    }
    return faults
  }

  private func isTracked(_ store: TrackedStore) -> Bool {
    do {
      _ = try store.state()
      return true
    } catch {
      return error.code != .notTracked
    }
  }

  /// Reads on from a position; nil when it has expired.
  private func read(
    _ store: TrackedStore, _ promise: Promise, _ subject: FaultSubject, _ faults: inout [String]
  ) throws -> HistoryRecorder? {
    let recorder: HistoryRecorder
    let state: ReadingState
    do {
      recorder = try HistoryRecorder(store, after: promise.token)
      state = try recorder.read()
    } catch let error as HistoryError where error.code == .historyTokenExpired {
      if error.expiryReason.map({ !subject.expiry.contains($0) }) ?? true {
        faults.append("position \(promise.token.sequence): \(error)")
      }
      return nil
    }
    switch state {
    case .expired(let reason):
      if !subject.expiry.contains(reason) {
        faults.append("position \(promise.token.sequence): \(reason)")
      }
      return nil
    case .atHead: break
    default: faults.append("the reader stopped: \(state)")
    }
    // What is restored may end earlier, but has nothing else up to there.
    let kept =
      subject.expiry.contains(.storeRestored)
      ? min(promise.lines.count, recorder.lines.count) : promise.lines.count
    if Array(recorder.lines.prefix(kept)) != Array(promise.lines.prefix(kept)) {
      faults.append(
        "after \(promise.token.sequence): \(promise.lines) became \(recorder.lines)")
    }
    return recorder
  }

  /// Where the history, replayed, does not give the rows.
  private func differences(_ recorder: HistoryRecorder, _ connection: Connection) throws -> [String]
  {
    let tracked = try connection.rows("SELECT name FROM _history_table WHERE active")
      .compactMap { $0[0].text }.filter { self.image.tables[$0] != nil }
    var image = image
    image.forget(Set(image.tables.keys).subtracting(tracked))
    do {
      for change in recorder.transactions.flatMap(\.changes) where tracked.contains(change.table) {
        try image.apply(change)
      }
    } catch {
      return ["replay: \(error)"]
    }
    let now = try RowImage(connection, tables: tracked)
    return image.differences(from: now).map { "replayed and real: \($0)" }
  }
}
