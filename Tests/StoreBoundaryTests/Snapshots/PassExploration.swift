import HistoryTestSupport
import Testing

@testable import StoreBoundary

@Suite("All states of what is done again in bursts")
struct PassExploration {
  /// A machine, its driver, and those who ask it for passes.
  private struct Passes: ExploredSystem {
    enum Input {
      /// Somebody asks, with or without hurry.
      case request
      case urgent
      /// A second passes, in which nothing is due.
      case second
      /// The time has come that was waited for.
      case alarm
      /// The pass ends, well or not.
      case done
      case failed
      /// The driver is stopped.
      case stop
    }

    let policy: PassStateMachine.Policy
    var machine: PassStateMachine
    var now = Duration.zero
    var alarm: Duration?
    var isRunning = false
    var isStopped = false
    /// When those asked whom no pass has taken up.
    var asked: Duration?
    /// Whether the last pass failed, so that what it was for is still to be done.
    var isOwed = false

    init(_ policy: PassStateMachine.Policy) {
      self.policy = policy
      machine = PassStateMachine(policy)
    }

    var inputs: [Input] {
      var inputs: [Input] = [.request, .urgent]
      if alarm.map({ now + .seconds(1) < $0 }) ?? true { inputs.append(.second) }
      if alarm != nil { inputs.append(.alarm) }
      if isRunning { inputs += [.done, .failed] }
      if !isStopped { inputs.append(.stop) }
      return inputs
    }

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .request, .urgent:
        asked = asked ?? now
        try follow(machine.requested(isUrgent: input == .urgent, now: now))
        let isDone = input == .request || isRunning || isStopped
        try BrokenPromise.unless(isDone, "Who is in a hurry waits for nothing.")
      case .second: now += .seconds(1)
      case .alarm:
        now = alarm ?? now
        alarm = nil
        try follow(machine.timerFired(now: now))
      case .done, .failed:
        isRunning = false
        isOwed = input == .failed
        try follow(machine.ended(hasFailed: isOwed, now: now))
      case .stop:
        isStopped = true
        alarm = nil
        machine.stopped()
      }
    }

    private mutating func follow(_ action: PassStateMachine.Action) throws(BrokenPromise) {
      switch action {
      case .rest: alarm = nil
      case .wait(let moment):
        try BrokenPromise.unless(moment > now, "It waits for what is past.")
        alarm = moment
      case .begin:
        try BrokenPromise.unless(!isRunning, "Two passes at once.")
        try BrokenPromise.unless(!isStopped, "A pass after the stop.")
        (alarm, asked, isOwed, isRunning) = (nil, nil, false, true)
      }
    }

    func check() throws(BrokenPromise) {
      guard !isStopped else { return }
      if !isRunning, asked != nil || isOwed {
        try BrokenPromise.unless(
          alarm != nil, "Something is to be done, and nothing will begin it.")
      }
      if let alarm, let asked, !isOwed {
        let end = asked + max(policy.maximumWait, policy.debounce)
        try BrokenPromise.unless(alarm <= max(end, now + .seconds(60)), "It waits for too long.")
      }
      var peace = self
      for _ in 0..<4 {
        if peace.isRunning {
          try peace.take(.done)
        } else if peace.alarm != nil {
          try peace.take(.alarm)
        }
      }
      let isDone = peace.asked == nil && !peace.isOwed && !peace.isRunning && peace.alarm == nil
      try BrokenPromise.unless(isDone, "What was asked for is never done.")
    }
  }

  @Test(
    "whoever asks gets a pass after it, one at a time, and a failure is made good",
    arguments: [
      PassStateMachine.Policy(),
      PassStateMachine.Policy(debounce: .seconds(2), maximumWait: .seconds(5)),
      PassStateMachine.Policy(debounce: .seconds(3), maximumWait: .seconds(1)),
    ])
  func passes(policy: PassStateMachine.Policy) throws {
    let visit = try StateExplorer(depth: TestScale.depth(11)).explore(Passes(policy))
    #expect(visit.states >= 2_000 && visit.steps >= 5_000, "\(visit)")
  }
}
