import EventLoop

/// When something is done again that is asked for in bursts, and may fail: one pass at a time, one
/// more for all that was asked for during it, and another try after a pause that grows.
///
/// Pure: times are given to it, and what to do is returned.
package struct PassStateMachine: Hashable {
  /// When a burst of requests becomes a pass.
  package struct Policy: Sendable, Hashable {
    /// How long nobody may ask before the pass.
    package var debounce: Duration
    /// How long after the first request of a burst the pass comes, even if they go on.
    package var maximumWait: Duration

    /// Makes a policy; without times a pass follows at once.
    package init(debounce: Duration = .zero, maximumWait: Duration = .zero) {
      self.debounce = debounce
      self.maximumWait = maximumWait
    }
  }

  /// What the caller is to do.
  enum Action: Equatable {
    /// Nothing, until something happens.
    case rest
    /// Tell when this time has come, unless something happens before.
    case wait(until: Duration)
    /// Begin a pass.
    case begin
  }

  private let policy: Policy
  /// The requests that no pass has taken up.
  private var burst: Burst?
  /// Whether somebody waits for the next pass.
  private var isUrgent = false
  /// Until when nothing is tried after a failure; nil when the last pass did not fail.
  private var pauseEnd: Duration?
  private var failures = 0
  private var isRunning = false
  private var isStopped = false

  init(_ policy: Policy) { self.policy = policy }

  /// Somebody asked for a pass.
  ///
  /// - Parameters:
  ///   - isUrgent: Whether it is to begin at once, or as soon as the present one has ended.
  ///   - now: The present time.
  /// - Returns: What to do now.
  mutating func requested(isUrgent: Bool = false, now: Duration) -> Action {
    burst = .longer(burst, now: now)
    if isUrgent { self.isUrgent = true }
    return decide(now: now)
  }

  /// The time asked for by `wait` has come.
  mutating func timerFired(now: Duration) -> Action { decide(now: now) }

  /// The pass has ended.
  mutating func ended(hasFailed: Bool, now: Duration) -> Action {
    isRunning = false
    failures = hasFailed ? failures + 1 : 0
    pauseEnd = hasFailed ? now + RetryPause.after(failures) : nil
    return decide(now: now)
  }

  /// Nothing is to begin any more.
  mutating func stopped() { isStopped = true }

  /// When the next pass is due; nil while none is.
  private var due: Duration? {
    guard !isUrgent else { return .zero }
    let settled = burst?.end(debounce: policy.debounce, maximumWait: policy.maximumWait)
    guard let pauseEnd else { return settled }
    return max(settled ?? pauseEnd, pauseEnd)
  }

  private mutating func decide(now: Duration) -> Action {
    guard !isStopped, !isRunning, let due else { return .rest }
    guard now >= due else { return .wait(until: due) }
    isRunning = true
    isUrgent = false
    burst = nil
    pauseEnd = nil
    return .begin
  }
}
