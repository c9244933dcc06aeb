/// A place to wait at until somebody says that there may be something to do.
///
/// Level-triggered: an opening that nobody waits for is kept, several count as one, and none says
/// what happened. Whoever passes looks for himself. One waiter at a time, confined to the loop.
public final class LoopGate {
  private let executor: LoopExecutor
  private let timer: LoopTimer
  private var isOpen = false
  private var waiting: Suspension<CancellationError>?

  /// Makes a closed gate.
  ///
  /// - Parameter executor: The loop of everyone who opens it or waits.
  /// - Throws: ``LoopError`` if libuv refuses a timer.
  public init(on executor: LoopExecutor) throws(LoopError) {
    self.executor = executor
    timer = try LoopTimer(on: executor)
  }

  /// Opens the gate for whoever waits, or for whoever comes next.
  public func open() {
    isOpen = true
    waiting.take()?.resume(.success(()))
  }

  /// Waits until the gate is opened, and closes it again.
  ///
  /// - Parameter limit: How long to wait at most; nil for as long as it takes.
  /// - Returns: Whether it was opened; false when the time passed or the task was cancelled.
  public nonisolated(nonsending) func wait(for limit: Duration?) async -> Bool {
    executor.checkIsolated()
    if !isOpen {
      do {
        try await Suspension<CancellationError>.wait(
          on: executor, cancelledAs: CancellationError()
        ) { suspension in
          waiting = suspension
          guard let limit else { return }
          timer.start(after: limit) { [self] in waiting.take()?.resume(.success(())) }
        }
      } catch {
        waiting = nil
      }
      timer.stop()
    }
    defer { isOpen = false }
    return isOpen
  }
}
