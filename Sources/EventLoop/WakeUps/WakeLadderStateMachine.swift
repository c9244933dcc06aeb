/// Decides when to look for a commit that was announced but may not be visible yet.
///
/// SQLite appends a commit's frames to the log (the directory watch fires), then syncs them, and
/// only then publishes the commit in shared memory, where no event comes from. So after an event
/// one looks at once, then again in steps that grow with the time already waited, until the
/// commit has been seen or seems not to come.
///
/// When may it stop? A database has one writer at a time, so whatever was announced before the
/// last event's commit was visible before that event. A change that only a *second* look after
/// the last event shows can therefore be no other commit than the announced one: rest at once. A
/// change that the *first* look shows may be an earlier commit whose successor is on its way:
/// keep looking, thoroughly if the earlier one took as long as a sync does, else with a few looks.
///
/// It knows no clock and no tasks; times are durations since any fixed moment.
struct WakeLadderStateMachine: Sendable, Hashable {
  private enum State: Hashable {
    /// Nothing is announced.
    case resting
    /// Something was announced and is looked for.
    case climbing(Climb)
  }

  private struct Climb: Hashable {
    /// When the last event came.
    var lastEvent: Duration
    /// When to stop looking.
    var end: Duration
    /// How long to wait before the next look.
    var step = WakeLadderStateMachine.firstStep
    /// Whether steps grow fast, since hardly anything is expected.
    var isCoarse: Bool
    /// Whether nobody has looked since the last event.
    var awaitsFirstLook = true
    /// Whether what the last event announced has probably been seen.
    var isProbablySeen: Bool
    /// When the oldest announcement came that was still unseen when the last event came.
    var owesSince: Duration?
  }

  /// What the caller must do after an input.
  enum Action: Equatable {
    /// Look now, and tell by `looked`.
    case look
    /// Look once this time has passed; replaces an earlier request.
    case lookAgain(after: Duration)
    /// Wait for the next event.
    case rest
  }

  private var state = State.resting
  /// How many commits in a row became visible so soon that they were not synced.
  private var quickCommits = 0
  /// When a look last showed a change.
  private var lastChange: Duration?

  /// Whether nothing is announced.
  var isResting: Bool {
    if case .resting = state { true } else { false }
  }

  /// A source woke up at `now` that speaks before the commit is visible.
  mutating func eventArrived(now: Duration) -> Action {
    var owesSince: Duration?
    if case .climbing(let climb) = state, !climb.isProbablySeen {
      owesSince = climb.owesSince ?? (climb.awaitsFirstLook ? nil : climb.lastEvent)
    }
    // The last event of a quick commit often arrives when the commit has just been seen.
    let isEcho = quickCommits > 0 && lastChange.map { now - $0 < Self.unsynced } ?? false
    state = .climbing(
      Climb(
        lastEvent: now, end: now + Self.horizon,
        isCoarse: isEcho || quickCommits >= Self.quickHabit, isProbablySeen: isEcho,
        owesSince: owesSince))
    return .look
  }

  /// A source woke up that speaks only after a commit is visible.
  ///
  /// It starts no ladder: either the commit's own events did, or it has been seen. A commit that
  /// the next look shows is probably the one that was announced, even if two were.
  mutating func bellRang() -> Action {
    if case .climbing(var climb) = state {
      climb.owesSince = nil
      state = .climbing(climb)
    }
    return .look
  }

  /// The time asked for by `lookAgain` has passed.
  mutating func timerFired() -> Action {
    isResting ? .rest : .look
  }

  /// The caller looked at `now`, and something had changed or not.
  mutating func looked(now: Duration, changed: Bool) -> Action {
    guard case .climbing(var climb) = state else { return .rest }
    let wasFirst = climb.awaitsFirstLook
    climb.awaitsFirstLook = false
    if changed {
      let delay = now - (climb.owesSince ?? climb.lastEvent)
      quickCommits = delay < Self.unsynced ? quickCommits + 1 : 0
      lastChange = now
      guard wasFirst else { return rest() }
      climb.isProbablySeen = true
      climb.isCoarse = delay < Self.unsynced
      climb.end = climb.lastEvent + min(max(Self.tail, delay * 4), Self.horizon)
      climb.owesSince = nil
    }
    guard now < climb.end else { return rest() }
    let step = climb.step
    climb.step = climb.isCoarse ? Self.coarseStep(after: step) : Self.fineStep(after: step)
    state = .climbing(climb)
    return .lookAgain(after: step)
  }

  /// The caller knows that no commit is on its way.
  mutating func settled() -> Action { rest() }

  private mutating func rest() -> Action {
    state = .resting
    return .rest
  }
}
