package import EventLoop
package import HistoryModel
package import HistoryStore

/// Keeps the history of one store within its limits.
///
/// It lives on its loop and has a connection of its own. Each turn takes some milliseconds and ends
/// at once when somebody else has a lock; a checkpoint of the write-ahead log may take as long as
/// the disk does, so a loop on which others wait is not the place for it. While nothing is to be
/// done it wakes once a minute.
package actor RetentionKeeper {
  /// What may be worth saying.
  package enum Event: Sendable {
    /// It failed, and will try again. Told once, until it fails otherwise or succeeds.
    case failed(HistoryError)
    /// It works again.
    case recovered
    /// A consumer holds back what would have been dropped; nil when none does any more.
    case heldBack(by: String?)
  }

  /// What was done since the beginning.
  package struct Counts: Sendable, Hashable {
    /// What was dropped and deleted.
    package var totals = HistoryRetention.Totals()
    /// How often work was put off because others were writing.
    package var timesPutOff = 0
    /// How often it failed.
    package var failures = 0
    /// The consumer that holds back what would have been dropped.
    package var heldBy: String?
    /// Whether something is known to be left to do.
    package var isWorking = false
  }

  /// The loop that it lives on.
  package nonisolated let executor: LoopExecutor
  /// The database's path.
  package nonisolated let path: String
  /// The loop that it lives on.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let clock: any LoopClock
  private let tell: @Sendable (Event) -> Void
  private var limits: RetentionLimits
  private var machine = RetentionStateMachine()
  private var retention: HistoryRetention?
  /// What former connections did.
  private var former = HistoryRetention.Totals()
  private var alarm: AnyObject?
  private var isRunning = false
  private var isWorking = false
  private var failures = 0
  private var toldFailure: String?
  private var toldHolder: String?

  /// Makes a keeper that does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - path: The database's path; the store need not be there yet.
  ///   - limits: What to keep.
  ///   - executor: The loop to work on.
  ///   - clock: What tells the time.
  ///   - tell: Told, on the loop, what may be worth saying.
  package init(
    path: String, limits: RetentionLimits, on executor: LoopExecutor,
    clock: some LoopClock = SystemLoopClock(),
    telling tell: @escaping @Sendable (Event) -> Void = { _ in }
  ) {
    self.path = path
    self.limits = limits
    self.executor = executor
    self.clock = clock
    self.tell = tell
  }

  /// Begins; the first look comes at once.
  package func start() {
    guard !isRunning else { return }
    isRunning = true
    setAlarm(at: clock.now)
  }

  /// Ends, and closes the connection.
  ///
  /// What is left to do whoever begins next finds.
  package func stop() {
    isRunning = false
    isWorking = false
    alarm = nil
    close()
  }

  /// Something was committed, so there may be something to do within the next seconds.
  ///
  /// It may be called from anywhere and as often as one likes.
  package nonisolated func committed() {
    executor.perform { self.assumeIsolated { $0.noteCommit() } }
  }

  /// Keeps more or less from now on.
  ///
  /// - Parameter limits: What to keep.
  package func setLimits(_ limits: RetentionLimits) {
    guard limits != self.limits else { return }
    self.limits = limits
    close()
    machine = RetentionStateMachine()
    if isRunning { setAlarm(at: clock.now) }
  }

  /// What was done since the beginning.
  package var counts: Counts {
    Counts(
      totals: former + (retention?.totals ?? .init()), timesPutOff: machine.timesPutOff,
      failures: failures, heldBy: toldHolder, isWorking: isWorking)
  }

  private func noteCommit() {
    guard isRunning, let moment = machine.committed(now: clock.now) else { return }
    setAlarm(at: moment)
  }

  private func setAlarm(at moment: Duration) {
    let delay = max(.zero, moment - clock.now)
    alarm = clock.alarm(after: delay, on: executor) { [weak self] in
      self?.assumeIsolated { $0.turn() }
    }
  }

  private func turn() {
    guard isRunning else { return }
    alarm = nil
    let action: RetentionStateMachine.Action
    do throws(HistoryError) {
      action = try takeTurn()
      if toldFailure.take() != nil { tell(.recovered) }
    } catch {
      action = fail(error)
    }
    if case .sleep(let moment) = action { setAlarm(at: moment) }
  }

  /// Looks, and works if it may.
  private func takeTurn() throws(HistoryError) -> RetentionStateMachine.Action {
    let retention = try opened()
    let othersCommitted = try retention.othersCommitted()
    let outlook: RetentionStateMachine.Outlook
    switch try retention.look(now: CalendarTime(milliseconds: clock.wallClock)) {
    case .nothing: outlook = .nothing
    case .unfinished: outlook = .unfinished
    case .work: outlook = .work(othersCommitted: othersCommitted)
    }
    isWorking = outlook != .nothing
    if toldHolder != retention.heldBy {
      toldHolder = retention.heldBy
      tell(.heldBack(by: toldHolder))
    }
    let action = machine.looked(outlook, now: clock.now)
    guard action == .work else { return action }
    return try retention.work()
      ? machine.worked(now: clock.now) : machine.wasBusy(now: clock.now)
  }

  private func fail(_ error: HistoryError) -> RetentionStateMachine.Action {
    // With a rollback journal, reading too meets a writer.
    if error.passesByItself { return machine.wasBusy(now: clock.now) }
    close()
    isWorking = false
    failures += 1
    if toldFailure != error.message {
      toldFailure = error.message
      tell(.failed(error))
    }
    return machine.failed(now: clock.now)
  }

  /// The store that the path leads to now.
  private func opened() throws(HistoryError) -> HistoryRetention {
    if let retention, retention.isCurrent { return retention }
    close()
    let made = try HistoryRetention(path: path, limits: limits)
    retention = made
    return made
  }

  private func close() {
    if let retention { former = former + retention.totals }
    retention = nil
  }
}

extension HistoryRetention.Totals {
  fileprivate static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.transactions += b.transactions
    sum.changes += b.changes
    sum.rows += b.rows
    sum.steps += b.steps
    return sum
  }
}
