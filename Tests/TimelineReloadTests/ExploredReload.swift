import HistoryModel
import HistoryTestSupport

@testable import TimelineReload

/// A reload's machine, its driver as it may be at worst, a history, and a process that may die.
///
/// It keeps the state only when the machine says that it must, so that a crash loses as much as it
/// ever can.
struct ExploredReload: ExploredSystem {
  enum Input {
    /// Something is committed that matches, or does not.
    case change
    case other
    /// Somebody asks for a reload by hand.
    case request
    /// The position is lost.
    case loss
    /// A second passes, in which nothing is due.
    case second
    /// The time has come that was waited for.
    case alarm
    /// The run ends and confirms, or fails.
    case confirm
    case fail
    /// The process dies, and another one starts.
    case crash
    /// The driver is stopped.
    case stop
  }

  private struct Run: Hashable {
    /// The places that it confirms.
    var range: Range<Int>
    var isReset: Bool
    var isEnding = false
    /// What was asked for when it began, and what has changed since.
    var settlesRequest: Bool
    var isOutdated = false
  }

  private static let store = StoreIdentifier()

  private let policy: ReloadPolicy
  private var machine: ReloadStateMachine
  private var kept: ReloadState
  private var now = 0
  private var alarm: Duration?
  private var run: Run?
  private var isStopped = false
  /// Whether each commit matches; its token is its place, from 1.
  private var history: [Bool] = []
  /// The places of those that match and are in no confirmed run.
  private var owed: Set<Int> = []
  /// Whether a reload was asked for, and whether all is to be made anew, and it was not yet.
  private var isRequested = false
  private var isLost = false
  private var lastBeginning: Int?
  /// When the budget's day began, and how many runs have begun in it.
  private var dayBeginning = 0
  private var runsToday = 0

  init(_ policy: ReloadPolicy) {
    self.policy = policy
    kept = ReloadState(at: Self.token(0))
    machine = ReloadStateMachine(kind: "tasks", policy, kept, now: .zero, wallClock: 0)
  }
}

extension ExploredReload {
  var inputs: [Input] {
    var inputs: [Input] = isStopped ? [] : [.change, .other, .request, .loss, .stop]
    if alarm.map({ moment + .seconds(1) < $0 }) ?? true { inputs.append(.second) }
    if alarm != nil { inputs.append(.alarm) }
    if run != nil { inputs += [.confirm, .fail] }
    return inputs + [.crash]
  }

  mutating func take(_ input: Input) throws(BrokenPromise) {
    switch input {
    case .change:
      try follow(commit(matches: true))
    case .other:
      _ = commit(matches: false)
      keep()
    case .request:
      isRequested = true
      try follow(machine.reloadRequested(now: moment))
    case .loss:
      history.append(false)
      // All of it is made anew, so that no change before it matters by itself.
      (isLost, owed) = (true, [])
      run?.isOutdated = true
      try follow(machine.positionLost(Self.token(history.count), now: moment))
    case .second: now += 1
    case .alarm:
      now = max(now, alarm.map { Int($0.components.seconds) } ?? now)
      alarm = nil
      try follow(machine.timerFired(now: moment))
    case .confirm, .fail: try end(isConfirmed: input == .confirm)
    case .crash: try crash()
    case .stop:
      isStopped = true
      try follow(machine.stopped())
    }
  }

  private mutating func commit(matches: Bool) -> ReloadStateMachine.Action {
    history.append(matches)
    if matches { owed.insert(history.count) }
    return tell(history.count)
  }

  /// Tells the machine of what was committed.
  private mutating func tell(_ place: Int) -> ReloadStateMachine.Action {
    guard history[place - 1] else {
      machine.passedOver(Self.token(place))
      return .rest
    }
    var summary = HistorySummary(since: Self.token(place - 1))
    summary.add(author: "app", changes: 1, tables: ["tasks"], until: Self.token(place))
    return machine.changed(summary, now: moment)
  }

  private mutating func end(isConfirmed: Bool) throws(BrokenPromise) {
    guard let run else { throw BrokenPromise("No run ends.") }
    self.run = nil
    if isConfirmed, !run.isEnding {
      owed = owed.filter { !run.range.contains($0) }
      if run.isReset, !run.isOutdated { isLost = false }
      if run.settlesRequest { isRequested = false }
    }
    try follow(machine.runEnded(isConfirmed: isConfirmed, now: moment))
  }

  private mutating func crash() throws(BrokenPromise) {
    (run, alarm, isStopped) = (nil, nil, false)
    machine = ReloadStateMachine(kind: "tasks", policy, kept, now: moment, wallClock: wallClock)
    try follow(machine.began(now: moment))
    for place in Int(kept.token.sequence)..<history.count {
      let action = tell(place + 1)
      if history[place] { try follow(action) } else { keep() }
    }
  }

  private mutating func follow(_ action: ReloadStateMachine.Action) throws(BrokenPromise) {
    keep()
    switch action {
    case .rest: alarm = nil
    case .wait(let until):
      try BrokenPromise.unless(until > moment, "It waits for what is past.")
      alarm = until
    case .endRun:
      try BrokenPromise.unless(run?.isEnding == false, "It ends what is not running.")
      run?.isEnding = true
      alarm = nil
    case .start(let reload):
      try BrokenPromise.unless(!isStopped, "A run after the stop.")
      try begin(reload)
    }
  }

  private mutating func begin(_ reload: Reload) throws(BrokenPromise) {
    try BrokenPromise.unless(run == nil, "Two runs at once.")
    let state = machine.state(now: moment, wallClock: wallClock)
    try BrokenPromise.unless(kept == state, "A run begins before the state was kept.")
    // A token is the place before it, and the range's end belongs to it.
    let range = Int(reload.range.since.sequence) + 1..<Int(reload.range.until.sequence) + 1
    // After a crash history is told again piece by piece, and a run may begin in between.
    let told = owed.filter { $0 <= machine.position.sequence }
    let isWhole = told.allSatisfy(range.contains)
    try BrokenPromise.unless(isWhole, "A run of \(range) without some of \(told.sorted()).")
    let isReset = reload.reason == .reset
    try BrokenPromise.unless(isReset == isLost, "The reason is \(reload.reason).")
    let earliest = policy.minimumInterval.flatMap { interval in
      lastBeginning.map { $0 + Int(interval.components.seconds) }
    }
    try BrokenPromise.unless(now >= earliest ?? now, "Two runs too close to each other.")
    lastBeginning = now
    if now >= dayBeginning + Self.day || runsToday == 0 { (dayBeginning, runsToday) = (now, 0) }
    runsToday += 1
    let budget = policy.budget?.reloadsPerDay ?? .max
    try BrokenPromise.unless(runsToday <= budget, "\(runsToday) runs in a day.")
    alarm = nil
    run = Run(range: range, isReset: isReset, settlesRequest: isRequested)
  }

  /// Keeps the state when it must be.
  private mutating func keep() {
    guard machine.keeping == .now else { return }
    kept = machine.state(now: moment, wallClock: wallClock)
    machine.stateKept()
  }
}

extension ExploredReload {
  func check() throws(BrokenPromise) {
    try checkKept()
    guard !isStopped else {
      try BrokenPromise.unless(alarm == nil, "It waits for something after the stop.")
      return
    }
    let isOwed = !owed.isEmpty || isRequested || isLost
    if isOwed, run == nil {
      try BrokenPromise.unless(alarm != nil, "Something is owed, and nothing will begin it.")
    }
    try checkPeace()
  }

  /// Whatever is owed follows the kept position, or stands in the kept state.
  private func checkKept() throws(BrokenPromise) {
    let isThere = kept.debt == .reset || owed.allSatisfy { $0 > kept.token.sequence }
    try BrokenPromise.unless(isThere, "A crash would lose \(owed.sorted()).")
    try BrokenPromise.unless(!isLost || kept.debt == .reset, "A crash would lose the reset.")
    try BrokenPromise.unless(!isRequested || kept.debt >= .request, "A crash would lose a request.")
  }

  /// Nothing happens any more but time, and every run succeeds.
  private func checkPeace() throws(BrokenPromise) {
    var peace = self
    for _ in 0..<8 {
      if peace.run != nil {
        try peace.take(.confirm)
      } else if peace.alarm != nil {
        try peace.take(.alarm)
      }
    }
    let isOver = peace.run == nil && peace.alarm == nil
    try BrokenPromise.unless(isOver, "It finds no rest.")
    let isDone = peace.owed.isEmpty && !peace.isRequested && !peace.isLost
    try BrokenPromise.unless(isDone, "What is owed is never done.")
    let state = peace.machine.state(now: peace.moment, wallClock: peace.wallClock)
    let isClean = state.tries == nil && state.debt == .nothing
    try BrokenPromise.unless(isClean, "All is done, and the state says that it is not.")
  }

  private var moment: Duration { .seconds(now) }
  private var wallClock: Int64 { Int64(now) * 1000 }
  private static let day = 86_400

  private static func token(_ place: Int) -> HistoryToken {
    HistoryToken(storeIdentifier: store, epoch: 1, sequence: Int64(place), check: 7)
  }
}
