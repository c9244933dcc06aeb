import HistoryTestSupport
import Testing

@testable import WatchServer

@Suite("All states of retention")
struct RetentionExploration {
  /// A machine and its driver, a history with more or less to drop, and others who write.
  private struct Keeping: ExploredSystem {
    enum Input {
      /// It looks when it said it would, and finds this.
      case nothing
      case unfinished
      case work
      case workWhileOthersCommit
      /// The look, or the work, fails.
      case failed
      /// The write lock was had, or somebody else had it.
      case worked
      case busy
      /// Somebody commits, at once or after a while.
      case commit
      case lateCommit
    }

    var machine = RetentionStateMachine()
    var now = Duration.zero
    /// When it will look.
    var alarm = Duration.zero
    var isWorking = false
    /// Before when no commit may bring it to look again, since there was nothing to do.
    var isRestingUntil: Duration?
    var failures = 0

    var inputs: [Input] {
      if isWorking { return [.worked, .busy, .failed] }
      let looks: [Input] = [.nothing, .unfinished, .work, .workWhileOthersCommit, .failed, .commit]
      return now + .seconds(1) < alarm ? looks + [.lateCommit] : looks
    }

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .nothing: try look(.nothing)
      case .unfinished: try look(.unfinished)
      case .work: try look(.work(othersCommitted: false))
      case .workWhileOthersCommit: try look(.work(othersCommitted: true))
      case .failed:
        if !isWorking { now = alarm }
        failures += 1
        isRestingUntil = nil
        try follow(machine.failed(now: now))
        let pause = min(.seconds(1) * (1 << min(failures - 1, 10)), .seconds(60))
        try BrokenPromise.unless(alarm == now + pause, "\(failures) failures, \(alarm - now).")
      case .worked: try follow(machine.worked(now: now))
      case .busy: try follow(machine.wasBusy(now: now))
      case .commit, .lateCommit:
        if input == .lateCommit { now += .seconds(1) }
        guard let moment = machine.committed(now: now) else { return }
        try BrokenPromise.unless(isRestingUntil != nil, "A commit hurries what is at work.")
        try BrokenPromise.unless(moment >= now && moment < alarm, "A look that is not earlier.")
        let isPatient = moment >= isRestingUntil ?? .zero
        try BrokenPromise.unless(isPatient, "Looks in vain follow each other too closely.")
        alarm = moment
      }
    }

    private mutating func look(_ outlook: RetentionStateMachine.Outlook) throws(BrokenPromise) {
      now = alarm
      failures = 0
      isRestingUntil = outlook == .nothing ? now + RetentionStateMachine.Pace.looking : nil
      try follow(machine.looked(outlook, now: now))
      let isDue = outlook != .work(othersCommitted: false) || isWorking
      try BrokenPromise.unless(isDue, "Nobody writes, and it puts its work off.")
    }

    private mutating func follow(
      _ action: RetentionStateMachine.Action
    ) throws(BrokenPromise) {
      isWorking = action == .work
      guard case .sleep(let moment) = action else { return }
      let isSoon = moment > now && moment <= now + RetentionStateMachine.Pace.idle
      try BrokenPromise.unless(isSoon, "It sleeps for \(moment - now).")
      alarm = moment
    }

    func check() throws(BrokenPromise) {
      // Others commit all the time, and it works all the same.
      var crowded = self
      var isDone = false
      for _ in 0..<100 where !isDone {
        isDone = crowded.isWorking
        if !isDone { try crowded.take(.workWhileOthersCommit) }
      }
      try BrokenPromise.unless(isDone, "Others' commits put it off for ever.")
      let wait = crowded.now - max(now, alarm)
      try BrokenPromise.unless(wait <= .milliseconds(2_050), "It is put off for \(wait).")
      // The lock is never to be had: it goes on trying, and is no burden.
      for _ in 0..<20 {
        if crowded.isWorking { try crowded.take(.busy) }
        let pause = crowded.alarm - crowded.now
        let range: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(25)
        try BrokenPromise.unless(range.contains(pause), "The lock is taken, and it waits \(pause).")
        try crowded.take(.work)
      }
    }
  }

  @Test("what is to be dropped is dropped in the end, between others' commits or among them")
  func all() throws {
    let visit = try StateExplorer(depth: TestScale.depth(8)).explore(Keeping())
    #expect(visit.states >= 2_500 && visit.steps >= 7_000, "\(visit)")
  }
}
