import Testing

@testable import EventLoop

@Suite("Wake ladder state machine")
struct WakeLadderStateMachineTests {
  private func at(_ microseconds: Int) -> Duration { .microseconds(microseconds) }

  // event  .  look(no)  .  look(yes)
  @Test("a change that the second look shows is the announced commit: rest")
  func secondLookIsConclusive() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.eventArrived(now: at(0)) == .look)
    #expect(ladder.looked(now: at(3), changed: false) == .lookAgain(after: at(20)))
    #expect(ladder.timerFired() == .look)
    #expect(ladder.looked(now: at(26), changed: false) == .lookAgain(after: at(25)))
    #expect(ladder.timerFired() == .look)
    #expect(ladder.looked(now: at(55), changed: true) == .rest)
    #expect(ladder.isResting)
  }

  // event  .  look(yes)  .  look(no) ... rest
  @Test("a change that the first look shows may hide a second commit: a short tail")
  func firstLookLeavesATail() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.eventArrived(now: at(0)) == .look)
    #expect(ladder.looked(now: at(3), changed: true) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(25), changed: false) == .lookAgain(after: at(80)))
    #expect(ladder.looked(now: at(110), changed: false) == .lookAgain(after: at(320)))
    #expect(ladder.looked(now: at(5_000), changed: false) == .rest)
  }

  // event A  .  look(no)  .  A visible, event B  .  look(yes: A)  .  look(no) ... look(yes: B)
  @Test("an earlier commit seen after a later one's event does not end the search")
  func earlierCommitDoesNotSettleALaterOne() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.eventArrived(now: at(0)) == .look)
    #expect(ladder.looked(now: at(3), changed: false) == .lookAgain(after: at(20)))
    #expect(ladder.eventArrived(now: at(600)) == .look)
    #expect(ladder.looked(now: at(603), changed: true) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(1200), changed: false) == .lookAgain(after: at(25)))
    #expect(ladder.looked(now: at(1230), changed: true) == .rest)
  }

  // event  .  look(no)  .  bell  .  look(yes)
  @Test("a doorbell is answered at once and settles what was announced before")
  func bellSettles() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.eventArrived(now: at(0)) == .look)
    #expect(ladder.looked(now: at(3), changed: false) == .lookAgain(after: at(20)))
    #expect(ladder.bellRang() == .look)
    #expect(ladder.looked(now: at(9), changed: true) == .rest)
  }

  // event A  .  look(no)  .  event B, bell  .  look(yes)  .  tail
  @Test("a doorbell in one batch with a later event leaves only a tail")
  func bellWithEvent() {
    var ladder = WakeLadderStateMachine()
    _ = ladder.eventArrived(now: at(0))
    _ = ladder.looked(now: at(3), changed: false)
    _ = ladder.eventArrived(now: at(50))
    #expect(ladder.bellRang() == .look)
    #expect(ladder.looked(now: at(53), changed: true) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(25_000), changed: false) == .rest)
  }

  // bell  .  look(no)
  @Test("a doorbell while resting costs one look")
  func bellWhileResting() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.bellRang() == .look)
    #expect(ladder.looked(now: at(3), changed: false) == .rest)
  }

  @Test("who knows that nothing is on its way may rest at once")
  func settled() {
    var ladder = WakeLadderStateMachine()
    _ = ladder.eventArrived(now: at(0))
    _ = ladder.looked(now: at(3), changed: true)
    #expect(ladder.settled() == .rest)
    #expect(ladder.timerFired() == .rest)
  }

  // event A1  .  look(no)  .  event A2  .  look(yes)  .  tail
  @Test("several events of a commit that was not synced leave only a tail")
  func eventsOfOneCommit() {
    var ladder = WakeLadderStateMachine()
    _ = ladder.eventArrived(now: at(0))
    _ = ladder.looked(now: at(3), changed: false)
    _ = ladder.eventArrived(now: at(8))
    #expect(ladder.looked(now: at(12), changed: true) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(25_000), changed: false) == .rest)
  }

  @Test("a new event starts again from the smallest step")
  func eventRestarts() {
    var ladder = WakeLadderStateMachine()
    _ = ladder.eventArrived(now: at(0))
    for look in 1...10 { _ = ladder.looked(now: at(look * 100), changed: false) }
    #expect(ladder.eventArrived(now: at(2000)) == .look)
    #expect(ladder.looked(now: at(2003), changed: false) == .lookAgain(after: at(20)))
  }

  @Test("two events before one look count as one")
  func eventsCoalesce() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.eventArrived(now: at(0)) == .look)
    #expect(ladder.eventArrived(now: at(1)) == .look)
    #expect(ladder.looked(now: at(3), changed: true) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(25_000), changed: false) == .rest, "Nothing earlier was owed.")
  }

  @Test("an announcement that leads to nothing costs some thirty looks")
  func vainAnnouncement() {
    var ladder = WakeLadderStateMachine()
    var now = at(0)
    var looks = 1
    var action = ladder.eventArrived(now: now)
    action = ladder.looked(now: now, changed: false)
    var steps: [Duration] = []
    while case .lookAgain(let delay) = action {
      steps.append(delay)
      now += delay
      #expect(ladder.timerFired() == .look)
      action = ladder.looked(now: now, changed: false)
      looks += 1
    }
    #expect(action == .rest)
    #expect(now >= .milliseconds(250) && now < .milliseconds(275))
    #expect(steps == steps.sorted())
    #expect(steps.last == .milliseconds(25))
    #expect((25...35).contains(looks), "\(looks)")
  }

  // 4 x (event  .  look(yes))  .  event  .  look(no)  .  look(no) ...
  @Test("after quick commits the ladder is coarse, until a slow one")
  func quickHabit() {
    var ladder = WakeLadderStateMachine()
    for commit in 1...4 {
      _ = ladder.eventArrived(now: at(commit * 1000))
      _ = ladder.looked(now: at(commit * 1000 + 3), changed: true)
    }
    _ = ladder.eventArrived(now: at(5000))
    #expect(ladder.looked(now: at(5003), changed: false) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(5025), changed: false) == .lookAgain(after: at(80)))
    #expect(ladder.looked(now: at(5200), changed: true) == .rest, "A slow one.")
    _ = ladder.eventArrived(now: at(9000))
    #expect(ladder.looked(now: at(9003), changed: false) == .lookAgain(after: at(20)))
    #expect(ladder.looked(now: at(9025), changed: false) == .lookAgain(after: at(25)))
  }

  @Test("resting, it ignores timers and looks")
  func restingIgnores() {
    var ladder = WakeLadderStateMachine()
    #expect(ladder.timerFired() == .rest)
    #expect(ladder.looked(now: at(0), changed: true) == .rest)
    #expect(ladder.isResting)
  }
}
