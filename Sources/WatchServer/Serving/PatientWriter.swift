import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// Writes to a store for a server: seldom, little, and after everybody else.
///
/// Confined to the loop.
final class PatientWriter {
  /// How long one write may wait for others, in all.
  private static let patience = Duration.seconds(5)

  private let path: String
  private let executor: LoopExecutor
  private var open: TrackedStore?

  init(path: String, on executor: LoopExecutor) {
    self.path = path
    self.executor = executor
  }

  /// Writes, and lets others go first, but not for ever.
  ///
  /// - Parameter body: Writes, without staying long.
  /// - Returns: What the body returned.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when others had the store for five seconds,
  ///   and what the body throws.
  nonisolated(nonsending) func write<T>(
    _ body: (TrackedStore) throws(HistoryError) -> T
  ) async throws(HistoryError) -> T {
    let start = ContinuousClock.now
    while true {
      do throws(HistoryError) {
        return try body(try store())
      } catch {
        guard error.code == .temporary, start.duration(to: .now) < Self.patience else {
          throw error
        }
      }
      await LoopTimer.pause(for: .milliseconds(5), on: executor)
    }
  }

  /// Kept open, since opening and closing wakes whoever watches the directory.
  private func store() throws(HistoryError) -> TrackedStore {
    if let open, DatabaseFile(path: path) == open.file { return open }
    let store = try TrackedStore(path: path, access: .readWrite, busyTimeout: 0)
    open = store
    return store
  }

  /// Closes a file that is no longer at the path: what was deleted takes its space until then.
  func closeIfMoved() {
    if let open, DatabaseFile(path: path) != open.file { close() }
  }

  /// Closes the store until the next write.
  func close() { open = nil }
}
