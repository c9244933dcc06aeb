import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// Keeps one store open, watches it, and waits patiently where others have it locked.
///
/// Confined to the loop.
final class StoreFollower {
  /// What ended a wait.
  enum Event {
    /// Something may have been committed.
    case changed
    /// The path leads to another file.
    case replaced
    /// The path leads nowhere.
    case missing
    /// Somebody called ``wake()``.
    case woken
  }

  private(set) var store: TrackedStore
  private let executor: LoopExecutor
  private let gate: LoopGate
  private var watch: StoreWatch?
  private var isWoken = false

  /// Takes over a store that was opened for reading and does not wait for locks.
  init(_ store: TrackedStore, on executor: LoopExecutor) throws(LoopError) {
    self.store = store
    self.executor = executor
    gate = try LoopGate(on: executor)
  }

  /// How often what woke it; nil before it first waited.
  var counts: WakeUpCounts? { watch?.counts }

  /// Starts to watch. What is read afterwards is followed without a hole.
  func start() throws(HistoryError) {
    guard watch == nil else { return }
    do {
      watch = try StoreWatch(store, opening: gate, on: executor)
    } catch let error as HistoryError {
      throw error
    } catch {
      throw HistoryError(
        .temporary, "\(store.path) cannot be watched: \(error)",
        hint: "raise the limits of open files and of inotify watches", cause: error)
    }
  }

  /// Watches no more.
  func stop() {
    watch?.stop()
    watch = nil
  }

  /// Ends the wait of whoever waits, or of whoever waits next.
  func wake() {
    isWoken = true
    gate.open()
  }

  /// Waits until there may be something new. One waiter at a time.
  ///
  /// - Parameter limit: How long at most; nil for as long as it takes.
  nonisolated(nonsending) func wait(for limit: Duration? = nil) async -> Event {
    while true {
      if isWoken {
        isWoken = false
        return .woken
      }
      switch watch?.takeFinding() ?? .changed {
      case .unchanged: break
      case .changed, .busy: return .changed
      case .missing: return .missing
      case .replaced: return .replaced
      }
      if await !gate.wait(for: limit) { return .woken }
    }
  }

  /// Opens the file that the path leads to now.
  ///
  /// - Throws: `HistoryError`, with code `temporary` while it is being written.
  func reopen() throws(HistoryError) {
    let next = try TrackedStore(path: store.path, access: .readOnly, busyTimeout: 0)
    _ = try next.state()
    stop()
    store = next
    try start()
  }

  /// Reads from the store, again and again while another process has it locked, which happens
  /// with a rollback journal and while somebody has it for himself.
  nonisolated(nonsending) func patiently<T>(
    _ body: () throws(HistoryError) -> T
  ) async throws(HistoryError) -> T {
    while true {
      do throws(HistoryError) {
        return try body()
      } catch {
        guard error.isLock, !Task.isCancelled else { throw error }
      }
      try? await LoopTimer.sleep(for: .milliseconds(5), on: executor)
    }
  }
}

extension HistoryError {
  /// Whether another process has the store locked.
  var isLock: Bool {
    let code = (cause as? SQLiteError)?.code.primary
    return code == .busy || code == .locked
  }
}
