public import EventLoop
import HistoryModel
public import HistoryStore

/// Tells its owner when a store may have changed, whoever changed it.
///
/// It joins the wake-up sources with the look that confirms them. Confined to the loop.
public final class StoreWatch {
  /// What the last look found, until somebody asks.
  public private(set) var finding = StoreLook.Finding.changed

  private let look: StoreLook
  private let gate: LoopGate
  private var wakeUps: WakeUps?
  private var busySince: ContinuousClock.Instant?

  /// Starts to watch.
  ///
  /// - Parameters:
  ///   - store: The store; its connection is used for the looks.
  ///   - gate: What to open when something was found.
  ///   - executor: The loop.
  /// - Throws: ``/HistoryModel/HistoryError`` or ``/EventLoop/LoopError`` when watching cannot begin.
  public init(_ store: TrackedStore, opening gate: LoopGate, on executor: LoopExecutor) throws {
    look = try StoreLook(store)
    self.gate = gate
    let sources: [any WakeUpSource] = [
      StoreDirectorySource(database: store.path, on: executor),
      DoorbellSource(database: store.path, on: executor),
    ]
    let wakeUps = try WakeUps(sources, on: executor) { [weak self] in
      self?.lookOnce() ?? false
    } isSettled: { [look] in
      look.isSettled
    }
    self.wakeUps = wakeUps
    wakeUps.start()
  }

  deinit { wakeUps?.stop() }

  /// Stops watching; the gate is opened no more.
  public func stop() {
    wakeUps?.stop()
    wakeUps = nil
  }

  /// Whether no event can be had of this file system, so that it looks again and again.
  public var isPolling: Bool { wakeUps?.isPolling ?? false }

  /// How often what woke it.
  public var counts: WakeUpCounts? { wakeUps?.counts }

  /// What was found since this was last asked.
  ///
  /// - Returns: The finding that matters most.
  public func takeFinding() -> StoreLook.Finding {
    defer { finding = .unchanged }
    return finding
  }

  /// The owner has read all that a read transaction saw.
  ///
  /// What was found before need not be read again; what was committed after it is found by the
  /// next look. To be called before the loop turns.
  ///
  /// - Parameter version: What the read transaction saw.
  package func ownerRead(_ version: StoreVersion) {
    look.read(version)
    if finding == .changed || finding == .busy { finding = .unchanged }
  }

  private func lookOnce() -> Bool {
    let found = look.look()
    if found != .busy, found != .writing { busySince = nil }
    switch found {
    case .unchanged, .writing:
      return false
    case .busy:
      // Somebody has the lock: for a moment, which the ladder waits out, or for long, which the
      // owner should know.
      let since = busySince ?? .now
      busySince = since
      if since.duration(to: .now) >= .milliseconds(500) {
        finding = .busy
        gate.open()
      }
      return false
    case .changed, .replaced, .missing:
      finding = found
      gate.open()
      return found == .changed
    }
  }
}
