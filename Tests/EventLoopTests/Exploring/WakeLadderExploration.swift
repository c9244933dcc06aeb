import HistoryTestSupport
import Testing

@testable import EventLoop

@Suite("All states of the wake ladder")
struct WakeLadderExploration {
  /// A ladder, and a writer who announces a commit, publishes it, and only then begins another.
  private struct Writing: ExploredSystem {
    enum Input: Equatable {
      /// The writer writes: the first time for a commit it has begun, or more of the same.
      case event
      /// What he wrote can be seen.
      case publish
      /// He says that it can.
      case bell
      /// The next look comes.
      case look
      /// So many microseconds pass, and no look is due in them.
      case time(Int)
      /// A caller who asked SQLite says that nobody is writing.
      case settle
    }

    var ladder = WakeLadderStateMachine()
    var now = Duration.zero
    /// When the next look is due; nil for none.
    var due: Duration?
    var isWriting = false
    var isUnseen = false
    var lastEvent: Duration?
    /// Whether the first look after the last event found nothing: then all that it found later is
    /// what the event announced, and none of it may be missed.
    var wasVain: Bool?

    var inputs: [Input] {
      // What is due is done in the same turn of the loop.
      if due == now { return [.look] }
      var inputs: [Input] = [.event]
      if isWriting { inputs.append(.publish) }
      if isUnseen { inputs.append(.bell) }
      if !isWriting, !isUnseen, due != nil { inputs.append(.settle) }
      if due != nil { inputs.append(.look) }
      for length in [10, 200, 3_000] where due.map({ now + .microseconds(length) < $0 }) ?? true {
        inputs.append(.time(length))
      }
      return inputs
    }

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .event:
        isWriting = true
        (lastEvent, wasVain) = (now, nil)
        try follow(ladder.eventArrived(now: now))
      case .publish: (isWriting, isUnseen) = (false, true)
      case .bell: try follow(ladder.bellRang())
      case .look: try look()
      case .time(let length): now += .microseconds(length)
      case .settle: try follow(ladder.settled())
      }
    }

    private mutating func look() throws(BrokenPromise) {
      guard let due else { throw BrokenPromise("No look is due.") }
      if due > now {
        now = due
        try BrokenPromise.unless(ladder.timerFired() == .look, "A look was asked for, and is not.")
      }
      now += .microseconds(3)
      self.due = nil
      let changed = isUnseen
      isUnseen = false
      if wasVain == nil { wasVain = !changed }
      try follow(ladder.looked(now: now, changed: changed))
    }

    private mutating func follow(_ action: WakeLadderStateMachine.Action) throws(BrokenPromise) {
      switch action {
      case .look: due = now
      case .lookAgain(let delay):
        let range: ClosedRange<Duration> = .microseconds(1) ... .milliseconds(100)
        try BrokenPromise.unless(range.contains(delay), "The next look in \(delay).")
        due = now + delay
      case .rest:
        due = nil
        try BrokenPromise.unless(ladder.isResting, "It looks no more, and does not rest.")
      }
    }

    func check() throws(BrokenPromise) {
      // A bell alone asks for a look, and starts no ladder.
      try BrokenPromise.unless(ladder.isResting || due != nil, "It climbs, and no look is due.")
      guard let lastEvent else { return }
      let isExpected = (isWriting || isUnseen) && wasVain == true
      let isEarly = now < lastEvent + WakeLadderStateMachine.horizon
      if isExpected, isEarly {
        try BrokenPromise.unless(due != nil, "What was announced is not looked for.")
      }
      var quiet = self
      if quiet.isWriting { (quiet.isWriting, quiet.isUnseen) = (false, true) }
      for _ in 0..<40 where quiet.due != nil { try quiet.look() }
      try BrokenPromise.unless(quiet.due == nil, "It looks without end.")
      let end = lastEvent + WakeLadderStateMachine.horizon + .milliseconds(101)
      try BrokenPromise.unless(quiet.now <= max(now, end), "It looks for too long.")
      guard isExpected, isEarly else { return }
      try BrokenPromise.unless(!quiet.isUnseen, "What was announced is never seen.")
      // He takes his time, nearly all that he is given.
      var late = self
      for _ in 0..<40 {
        guard let due = late.due else { break }
        if late.isWriting, due > lastEvent + .milliseconds(190) { try late.take(.publish) }
        try late.look()
      }
      try BrokenPromise.unless(!late.isWriting && !late.isUnseen, "What comes late is never seen.")
    }
  }

  @Test("what is announced is looked for until it is seen or a quarter of a second has passed")
  func ladder() throws {
    let visit = try StateExplorer(depth: TestScale.depth(11)).explore(Writing())
    #expect(visit.states >= 8_000 && visit.steps >= 10_000, "\(visit)")
  }
}
