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
  private var givingWay = GivingWay(insistence: GivingWay.patience)
  private let birth = ContinuousClock.now
  /// Whether nobody needs the store any more, so that nothing is waited for.
  var isStopped = false

  /// Takes over a store that was opened for reading and does not wait for locks.
  init(_ store: TrackedStore, on executor: LoopExecutor) throws(LoopError) {
    self.store = store
    self.executor = executor
    gate = try LoopGate(on: executor)
  }

  /// How often what woke it; nil before it first waited.
  var counts: WakeUpCounts? { watch?.counts }

  /// Starts to watch, so that what is read afterwards is followed without a hole.
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

  /// Waits until there may be something new.
  ///
  /// One waiter at a time.
  ///
  /// - Returns: What ended the wait.
  nonisolated(nonsending) func wait() async -> Event {
    while true {
      if isWoken {
        isWoken = false
        return .woken
      }
      switch watch?.takeFinding() ?? .changed {
      case .unchanged, .writing: break
      case .changed, .busy: return .changed
      case .missing: return .missing
      case .replaced: return .replaced
      }
      if await !gate.wait(for: nil) { return .woken }
    }
  }

  /// Whether the path leads to another file than the one that is open.
  var isReplaced: Bool { DatabaseFile(path: store.path).map { $0 != store.file } ?? false }

  /// Whether the path leads to any file.
  var isThere: Bool { DatabaseFile(path: store.path) != nil }

  /// Waits for a while, or until somebody calls ``wake()`` or something is committed.
  nonisolated(nonsending) func pause(for limit: Duration) async {
    _ = await gate.wait(for: limit)
  }

  /// Opens the file that the path leads to now, and watches it if the last one was watched.
  ///
  /// - Throws: `HistoryError`, with code `temporary` while it is being written.
  func reopen() throws(HistoryError) {
    let next = try TrackedStore(path: store.path, access: .readOnly, busyTimeout: 0)
    _ = try next.state()
    let wasWatched = watch != nil
    stop()
    store = next
    if wasWatched { try start() }
  }

  /// What a page that came to the head saw was read; what comes after it is found by a look.
  func caughtUp(_ version: StoreVersion) {
    givingWay.caughtUp()
    watch?.ownerRead(version)
  }

  /// Whether a page should end, since somebody began to write whose commit it could make fail.
  var mustGiveWay: Bool { !givingWay.isInsisting && store.hasWriter }

  /// Reads from the store, giving way to writers, and again and again while another process has it
  /// locked, which happens with a rollback journal and while somebody has it for himself.
  ///
  /// - Parameters:
  ///   - isWaiting: Told when it has waited for a second or more.
  ///   - body: What to read, without staying long.
  /// - Returns: What the body returned.
  /// - Throws: What the body threw that waiting does not mend, or when the task is cancelled.
  nonisolated(nonsending) func patiently<T>(
    isWaiting: () -> Void = {}, _ body: () throws(HistoryError) -> T
  ) async throws(HistoryError) -> T {
    let start = ContinuousClock.now
    while true {
      while givingWay.found(isWriting: store.hasWriter, now: birth.duration(to: .now)) == .wait {
        try? await LoopTimer.sleep(for: .milliseconds(1), on: executor)
      }
      do throws(HistoryError) {
        return try body()
      } catch {
        guard error.passesByItself, !Task.isCancelled, !isStopped else { throw error }
      }
      if start.duration(to: .now) >= .seconds(1) { isWaiting() }
      try? await LoopTimer.sleep(for: .milliseconds(5), on: executor)
    }
  }
}
