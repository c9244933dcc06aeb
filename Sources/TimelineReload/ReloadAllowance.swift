/// Says how soon a reload may begin: an interval after the last one, and so many in a day.
///
/// A day is 24 hours that begin with their first run. It knows no clock; times are durations since
/// any fixed moment. What has to outlive the process is kept as the time of day, of which only the
/// distance to the present counts: a time that seems to lie ahead, because the clock was set
/// back, counts as now, so that nothing waits longer than the interval or the day.
struct ReloadAllowance: Sendable, Hashable {
  private static let day = Duration.seconds(86_400)

  /// A day of the budget.
  private struct Today: Hashable {
    var start: Duration
    var runs: Int
  }

  private let interval: Duration?
  private let runsPerDay: Int?
  private var lastBeginning: Duration?
  private var today: Today?

  /// Takes up where another process left off.
  ///
  /// - Parameters:
  ///   - policy: What is allowed.
  ///   - state: What was used.
  ///   - now: The present time.
  ///   - wallClock: The present time of day, in milliseconds since 1970.
  init(_ policy: ReloadPolicy, _ state: ReloadState, now: Duration, wallClock: Int64) {
    interval = policy.minimumInterval
    runsPerDay = policy.budget?.reloadsPerDay
    let moment = { (time: Int64) in now - .milliseconds(max(0, wallClock - time)) }
    lastBeginning = state.lastBeginning.map(moment)
    today = state.day.map { Today(start: moment($0.start), runs: $0.runs) }
  }

  /// Before when no run may begin; nil when one may at any time.
  var earliest: Duration? {
    var times: [Duration] = []
    if let interval, let lastBeginning { times.append(lastBeginning + interval) }
    if let runsPerDay, let today, today.runs >= runsPerDay { times.append(today.start + Self.day) }
    return times.max()
  }

  /// A run began at `now`.
  ///
  /// Without a budget nobody counts, so that one given later begins unused.
  mutating func began(now: Duration) {
    lastBeginning = now
    guard runsPerDay != nil else { return }
    if let today, now < today.start + Self.day {
      self.today = Today(start: today.start, runs: today.runs + 1)
    } else {
      today = Today(start: now, runs: 1)
    }
  }

  /// Writes into a state what has to outlive the process.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - now: The present time.
  ///   - wallClock: The present time of day, in milliseconds since 1970.
  func record(in state: inout ReloadState, now: Duration, wallClock: Int64) {
    let time = { (moment: Duration) in
      let (seconds, attoseconds) = (now - moment).components
      return max(0, wallClock - seconds * 1000 - attoseconds / 1_000_000_000_000_000)
    }
    state.lastBeginning = lastBeginning.map(time)
    state.day = today.map { ReloadState.Day(start: time($0.start), runs: $0.runs) }
  }
}
