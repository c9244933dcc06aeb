package import EventLoop
import HistoryModel

/// Makes the passes that its state machine decides: one at a time, again after failures.
///
/// It lives on a loop. Whoever has a pass on its way keeps it until that has ended.
package actor PassDriver {
  /// How long one alarm may be: a timer stands still while the computer sleeps, a clock does not.
  private static let longestWait = Duration.seconds(60)

  private nonisolated let executor: LoopExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let clock: any LoopClock
  /// Where the work is done; nil for Swift's own threads.
  private let workExecutor: LoopExecutor?
  private let onFailure: @Sendable (any Error, _ nextIn: Duration?) -> Void
  private var work: (@Sendable () async throws -> Void)?
  private var machine: PassStateMachine
  private var alarm: AnyObject?
  private var run: Task<Void, Never>?
  /// How many passes have begun.
  private var begun = 0
  private var waiters: [(pass: Int, continuation: CheckedContinuation<(any Error)?, Never>)] = []
  private var isStopped = false
  private var whenEnded: [@Sendable () -> Void] = []
  /// Why the last pass failed; nil when it did not.
  package private(set) var error: (any Error)?

  /// Makes a driver that does nothing until ``begin(_:)``.
  ///
  /// - Parameters:
  ///   - policy: When a burst of requests becomes a pass.
  ///   - executor: The loop.
  ///   - workExecutor: The loop that the work is done on; nil for Swift's own threads.
  ///   - clock: What tells the time.
  ///   - onFailure: Told of each failure, and how long after it the next try comes.
  package init(
    _ policy: PassStateMachine.Policy = .init(), on executor: LoopExecutor,
    workingOn workExecutor: LoopExecutor?, clock: some LoopClock,
    onFailure: @escaping @Sendable (any Error, _ nextIn: Duration?) -> Void = { _, _ in }
  ) {
    self.executor = executor
    self.workExecutor = workExecutor
    self.clock = clock
    self.onFailure = onFailure
    machine = PassStateMachine(policy)
  }

  /// Says what a pass is; before any is asked for.
  package nonisolated func begin(_ work: @escaping @Sendable () async throws -> Void) {
    executor.perform { self.assumeIsolated { $0.work = work } }
  }

  /// Asks for a pass that begins after this.
  package nonisolated func request() {
    executor.perform { self.assumeIsolated { $0.ask(isUrgent: false) } }
  }

  /// Asks for a pass that begins after this, at once if none is on its way, and waits for its end.
  ///
  /// - Throws: What the pass threw; it is tried again all the same.
  package func pass() async throws {
    guard !isStopped else { throw HistoryError.snapshotsStopped }
    let failure = await withCheckedContinuation { continuation in
      waiters.append((begun + 1, continuation))
      ask(isUrgent: true)
    }
    if let failure { throw failure }
  }

  /// Begins nothing any more.
  ///
  /// - Parameter call: Called once nothing is on its way.
  package nonisolated func end(_ call: @escaping @Sendable () -> Void = {}) {
    executor.perform { self.assumeIsolated { $0.stop(call) } }
  }

  /// Begins nothing any more, and waits until what is on its way has ended.
  ///
  /// - Parameter isCancelling: Whether to cancel it.
  package func stop(cancelling isCancelling: Bool = false) async {
    stop {}
    if isCancelling { run?.cancel() }
    await run?.value
  }

  private func stop(_ call: @escaping @Sendable () -> Void) {
    isStopped = true
    machine.stopped()
    alarm = nil
    for waiter in waiters where waiter.pass > begun {
      waiter.continuation.resume(returning: HistoryError.snapshotsStopped)
    }
    waiters.removeAll { $0.pass > begun }
    if run == nil { call() } else { whenEnded.append(call) }
  }

  private func ask(isUrgent: Bool) {
    perform(machine.requested(isUrgent: isUrgent, now: clock.now))
  }

  private func perform(_ action: PassStateMachine.Action) {
    alarm = nil
    switch action {
    case .rest: break
    case .wait(let time):
      let delay = min(max(.zero, time - clock.now), Self.longestWait)
      alarm = clock.alarm(after: delay, on: executor) { [weak self] in
        self?.assumeIsolated { $0.perform($0.machine.timerFired(now: $0.clock.now)) }
      }
    case .begin: makePass()
    }
  }

  private func makePass() {
    begun += 1
    // Detached, so that it does not run on the caller's executor, and on none of Swift's threads
    // where everything is to stay on one.
    run = Task.detached(executorPreference: workExecutor) { [work] in
      var failure: (any Error)?
      do {
        try await work?()
      } catch {
        failure = error
      }
      await self.ended(failure)
    }
  }

  private func ended(_ failure: (any Error)?) {
    run = nil
    error = failure
    let action = machine.ended(hasFailed: failure != nil, now: clock.now)
    for waiter in waiters where waiter.pass <= begun {
      waiter.continuation.resume(returning: failure)
    }
    waiters.removeAll { $0.pass <= begun }
    if let failure {
      var nextIn: Duration?
      if case .wait(let time) = action { nextIn = time - clock.now }
      onFailure(failure, nextIn)
    }
    perform(action)
    for call in whenEnded { call() }
    whenEnded = []
  }
}
