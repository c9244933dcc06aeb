/// Decides when a history is looked after and trimmed: rarely while there is nothing to do, and
/// between others' commits, but not only there.
///
/// It knows no clock; times are durations since any fixed moment.
struct RetentionStateMachine: Sendable, Hashable {
  /// What a look found.
  enum Outlook: Hashable, Sendable {
    /// Nothing is to be done.
    case nothing
    /// There is more to look at.
    case unfinished
    /// Something is to be done under the write lock.
    case work(othersCommitted: Bool)
  }

  /// What the caller must do.
  enum Action: Hashable, Sendable {
    /// Look again at a moment.
    case sleep(until: Duration)
    /// Work, and tell how it went.
    case work
  }

  /// What it does with time.
  enum Pace {
    /// How often it looks when nothing is committed.
    static let idle = Duration.seconds(60)
    /// How far apart two looks are at least when there was nothing to do.
    static let looking = Duration.seconds(5)
    /// From one page of looking to the next.
    static let reading = Duration.milliseconds(5)
    /// From one step to the next: a writer who comes without a busy timeout seldom meets it.
    static let working = Duration.milliseconds(20)
    /// How long nobody may have committed for the lock to be taken without further ado.
    static let quiet = Duration.milliseconds(25)
    /// How long it is put off at most, at first, and after long work.
    static let patience = (most: Duration.seconds(2), least: Duration.milliseconds(50))
    /// After a failure, at first and at most.
    static let failure = (first: Duration.seconds(1), most: Duration.seconds(60))
  }

  private enum State: Hashable {
    /// Nothing is to be done; a commit may bring the next look forward to `earliest`.
    case resting(earliest: Duration)
    /// There is work; it is put off since `since` if others are writing.
    case working(since: Duration?)
    /// It failed.
    case failing
  }

  private var state = State.resting(earliest: .zero)
  private var next = Duration.zero
  private var patience = Pace.patience.most
  private var failurePause = Pace.failure.first
  private var vainSteps = 0

  /// How often work was put off because others were writing.
  private(set) var timesPutOff = 0

  /// A look was taken at `now`.
  mutating func looked(_ outlook: Outlook, now: Duration) -> Action {
    failurePause = Pace.failure.first
    switch outlook {
    case .nothing:
      patience = Pace.patience.most
      state = .resting(earliest: now + Pace.looking)
      return sleep(until: now + Pace.idle)
    case .unfinished:
      if case .working = state {} else { state = .working(since: nil) }
      return sleep(until: now + Pace.reading)
    case .work(othersCommitted: false):
      state = .working(since: nil)
      return .work
    case .work(othersCommitted: true):
      let since = since ?? now
      state = .working(since: since)
      if now - since >= patience { return .work }
      timesPutOff += 1
      return sleep(until: now + Pace.quiet)
    }
  }

  /// The write lock was had, and a little done.
  mutating func worked(now: Duration) -> Action {
    vainSteps = 0
    guard since != nil else { return sleep(until: now + Pace.working) }
    // What is put off again and again gets on a little faster each time.
    patience = max(patience * 9 / 10, Pace.patience.least)
    state = .working(since: now)
    return sleep(until: now + Pace.quiet)
  }

  /// Somebody else had the write lock.
  mutating func wasBusy(now: Duration) -> Action {
    let since = since ?? now
    state = .working(since: since)
    timesPutOff += 1
    guard now - since >= patience else { return sleep(until: now + Pace.quiet) }
    // Steps of different lengths, so as not to meet the same moment of a steady writer each time.
    vainSteps += 1
    return sleep(until: now + .milliseconds(2 + vainSteps * 3 % 7))
  }

  /// It failed for another reason.
  mutating func failed(now: Duration) -> Action {
    state = .failing
    defer { failurePause = min(failurePause * 2, Pace.failure.most) }
    return sleep(until: now + failurePause)
  }

  /// Somebody committed something.
  ///
  /// - Returns: When to look, if that is earlier than was said.
  mutating func committed(now: Duration) -> Duration? {
    guard case .resting(let earliest) = state else { return nil }
    let moment = max(now, earliest)
    guard moment < next else { return nil }
    next = moment
    return moment
  }

  private var since: Duration? {
    if case .working(let since) = state { since } else { nil }
  }

  private mutating func sleep(until moment: Duration) -> Action {
    next = moment
    return .sleep(until: moment)
  }
}
