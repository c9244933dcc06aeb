import EventLoop
import HistoryModel

/// Decides for one kind when a reload starts, and what it has to catch up with.
///
/// Changes gather in a range. It is due once nothing was added for the policy's debounce, or its
/// maximum wait after the first was, and not before the minimum interval and the budget allow. One
/// run is on its way at a time; what comes meanwhile is the next range. A range whose run was not
/// confirmed goes in front of the one that follows it, so that nothing is ever dropped.
///
/// After a failure there is a pause, which doubles each time. What comes during it joins the range
/// and does not shorten it, or a command that fails for each change would run for each change; it
/// is debounced all the same, so that a burst at the end of the pause is one run and not two.
///
/// It knows no clock and no tasks; times are durations since any fixed moment.
struct ReloadStateMachine: Sendable, Hashable {
  /// What the caller must do after an input.
  enum Action: Equatable {
    /// Wait for the next input; no time that was asked for before counts any more.
    case rest
    /// Call `timerFired` at this time; replaces an earlier request.
    case wait(until: Duration)
    /// Keep the state, then run this, and tell by `runEnded`.
    case start(Reload)
    /// Have the run ended, and tell by `runEnded` once it has.
    case endRun
  }

  /// How soon the state has to be kept so that a crash loses nothing.
  enum Keeping: Int, Comparable {
    /// It is kept.
    case nothing
    /// At some time; a crash before would have history read again.
    case soon
    /// Before anything else is done.
    case now

    static func < (a: Keeping, b: Keeping) -> Bool { a.rawValue < b.rawValue }
  }

  private struct Run: Hashable {
    var range: HistorySummary
    var debt: ReloadState.Debt
    /// Whether it was told to end; then it confirms nothing, for it may have stopped half-way.
    var isEnding = false
    /// Whether the position was lost since it began, so that its range means nothing any more.
    var isOutdated = false
  }

  private let kind: String
  private let policy: ReloadPolicy
  private var allowance: ReloadAllowance
  private var isStopped = false
  private var run: Run?
  /// What the next run has to catch up with; it begins where the present run's range ends.
  private var next: HistorySummary
  private var debt: ReloadState.Debt
  /// When the changes came that are in the next range only.
  private var burst: Burst?
  /// When somebody asked for a run by hand, which waits for no burst and no pause.
  private var requested: Duration?
  /// When the pause after a failure ends.
  private var pauseEnd: Duration?
  /// Runs of what the next range begins with that were not confirmed.
  private var tries: ReloadState.Tries?
  /// What the caller has to do about ``state(now:wallClock:)``; set back by `stateKept`.
  private(set) var keeping = Keeping.nothing

  /// Takes up where a state left off; `began` comes first.
  ///
  /// The history after the state's token is to be told again by `changed` and `passedOver`.
  ///
  /// - Parameters:
  ///   - kind: The kind's name.
  ///   - policy: When its bursts become reloads.
  ///   - state: What was kept.
  ///   - now: The present time.
  ///   - wallClock: The present time of day, in milliseconds since 1970.
  init(
    kind: String, _ policy: ReloadPolicy, _ state: ReloadState, now: Duration, wallClock: Int64
  ) {
    self.kind = kind
    self.policy = policy
    allowance = ReloadAllowance(policy, state, now: now, wallClock: wallClock)
    next = HistorySummary(since: state.token)
    debt = state.debt
    tries = state.tries
    // What is owed since before the process began waits like a change: more of it is to be read.
    if debt != .nothing { burst = Burst(now: now) }
  }
}

extension ReloadStateMachine {
  /// The caller is ready to run things.
  mutating func began(now: Duration) -> Action { decide(now: now) }

  /// Something that matches was committed, after all that was told before.
  mutating func changed(_ summary: HistorySummary, now: Duration) -> Action {
    if summary.isEmpty {
      passedOver(summary.until)
    } else {
      next.merge(summary)
      burst = .longer(burst, now: now)
    }
    return decide(now: now)
  }

  /// Nothing matched between all that was told before and a position.
  mutating func passedOver(_ token: HistoryToken) {
    next.until = token
    guard run == nil, !isOwed else { return }
    // What was tried lies ahead still, and the range must begin where it began then.
    if let tries, token < tries.until { return }
    tries = nil
    if next.since != token { keeping = max(keeping, .soon) }
    next = HistorySummary(since: token)
  }

  /// Somebody asked for a run by hand.
  mutating func reloadRequested(now: Duration) -> Action {
    if debt < .request {
      debt = .request
      keeping = .now
    }
    requested = requested ?? now
    return decide(now: now)
  }

  /// The position cannot be used any more; what follows begins at `token`.
  mutating func positionLost(_ token: HistoryToken, now: Duration) -> Action {
    run?.isOutdated = true
    next = HistorySummary(since: token)
    debt = .reset
    tries?.until = token
    burst = .longer(burst, now: now)
    keeping = .now
    return decide(now: now)
  }

  /// The time asked for by `wait` has come.
  mutating func timerFired(now: Duration) -> Action { decide(now: now) }

  /// The run has ended, and confirmed its range or not.
  mutating func runEnded(isConfirmed: Bool, now: Duration) -> Action {
    guard let run else { return decide(now: now) }
    self.run = nil
    if isConfirmed, !run.isEnding {
      tries = nil
      if !isOwed { next = HistorySummary(since: next.until) }
      keeping = .now
    } else {
      if !run.isOutdated {
        var whole = run.range
        whole.merge(next)
        next = whole
        debt = max(debt, run.debt)
      }
      keeping = max(keeping, .soon)
      // One that had to make way for the next has not failed.
      if !run.isEnding || isStopped {
        tries = tries(with: run)
        pauseEnd = now + RetryPause.after(tries?.count ?? 1)
      }
    }
    return decide(now: now)
  }

  /// The caller will run nothing any more, and waits only for the present run to end.
  mutating func stopped() -> Action {
    isStopped = true
    guard let run, !run.isEnding else { return .rest }
    self.run?.isEnding = true
    return .endRun
  }

  /// The caller has kept the state.
  mutating func stateKept() { keeping = .nothing }

  /// What has to outlive the process.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - wallClock: The present time of day, in milliseconds since 1970.
  /// - Returns: The state. A run that is on its way counts as tried, since nobody would learn how
  ///   it ended.
  func state(now: Duration, wallClock: Int64) -> ReloadState {
    var state = ReloadState(at: next.since)
    state.debt = debt
    state.tries = tries
    if let run {
      state.tries = tries(with: run)
      if !run.isOutdated {
        state.token = run.range.since
        state.debt = max(debt, run.debt)
      }
    }
    allowance.record(in: &state, now: now, wallClock: wallClock)
    return state
  }
}

extension ReloadStateMachine {
  /// The position up to which everything was told.
  var position: HistoryToken { next.until }

  /// What has not been confirmed yet, the present run's range included; nil when there is nothing.
  var pending: HistorySummary? {
    guard let run, !run.isOutdated else { return isOwed ? next : nil }
    var whole = run.range
    whole.merge(next)
    return whole
  }

  /// Whether there is anything to run for.
  private var isOwed: Bool { !next.isEmpty || debt != .nothing }

  /// When the next run is due; nil while there is nothing to run for.
  private var due: Duration? {
    guard isOwed else { return nil }
    var times: [Duration] = []
    if let requested {
      times.append(requested)
    } else {
      if let burst {
        times.append(burst.end(debounce: policy.debounce, maximumWait: policy.maximumWait))
      }
      if let pauseEnd { times.append(pauseEnd) }
    }
    if let earliest = allowance.earliest { times.append(earliest) }
    return times.max() ?? .zero
  }

  private mutating func decide(now: Duration) -> Action {
    guard !isStopped, let due else { return .rest }
    if let run {
      // A run goes on until its successor may begin.
      if policy.onBusy == .queue || run.isEnding { return .rest }
      guard now >= due else { return .wait(until: due) }
      self.run?.isEnding = true
      return .endRun
    }
    return now >= due ? start(now: now) : .wait(until: due)
  }

  private mutating func start(now: Duration) -> Action {
    allowance.began(now: now)
    let reason: Reload.Reason =
      if debt == .reset {
        .reset
      } else if tries != nil {
        .retry
      } else {
        next.isEmpty ? .requested : .changed
      }
    let reload = Reload(
      kind: kind, reason: reason, range: next, attempt: (tries?.count ?? 0) + 1)
    run = Run(range: next, debt: debt)
    next = HistorySummary(since: next.until)
    debt = .nothing
    burst = nil
    requested = nil
    pauseEnd = nil
    keeping = .now
    return .start(reload)
  }

  private func tries(with run: Run) -> ReloadState.Tries {
    ReloadState.Tries(
      count: (tries?.count ?? 0) + 1, until: run.isOutdated ? next.until : run.range.until)
  }
}
