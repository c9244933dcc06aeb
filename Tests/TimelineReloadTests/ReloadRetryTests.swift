import HistoryModel
import Testing

@testable import TimelineReload

@Suite("Reload state machine: failures, requests and lost positions")
struct ReloadRetryTests {
  @Test("a failure is tried again after a pause, with the same beginning")
  func retry() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---x-x--o-----",
      "---R-A--A------")
    #expect(marbles.ranges == [[0, 1], [0, 1], [0, 1]])
    #expect(marbles.reloads.map(\.attempt) == [1, 2, 3])
    #expect(marbles.play("c---") == "---R", "Success makes good.")
  }

  @Test("pauses double from one second to a minute")
  func pauses() {
    var marbles = ReloadMarbles()
    _ = marbles.play("c---")
    var pauses: [Int] = []
    for _ in 1...8 {
      let drawing = marbles.play("x" + String(repeating: "-", count: 70))
      pauses.append(drawing.prefix { $0 != "A" }.count)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60])
  }

  @Test("what comes during a pause joins the range and does not shorten the pause")
  func changeDuringAPause() {
    var marbles = ReloadMarbles(.marbles(debounce: 1))
    marbles.expect(
      "c-x-x--xcc--o---",
      "-R-A--A----A----")
    #expect(marbles.ranges.last == [0, 3])
    #expect(marbles.reloads.last?.reason == .retry)
  }

  @Test("a burst at the end of a pause is waited for, up to the maximum wait")
  func burstAtTheEndOfAPause() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---(xc)cccccccccc",
      "---R--------A--")
    #expect(marbles.ranges.last == [0, 9])
  }

  @Test("what came during a run that failed runs with it")
  func changeDuringAFailure() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---c-----x---o--",
      "---R-------A-----")
    #expect(marbles.ranges == [[0, 1], [0, 2]])
  }

  @Test("a retry that has to make way for the next stays a retry of the same count")
  func retryMakesWay() {
    var marbles = ReloadMarbles(.marbles(onBusy: .restart))
    marbles.expect(
      "c---x--c----x-o-",
      "---R-A----E-A---")
    #expect(marbles.reloads.map(\.attempt) == [1, 2, 2])
  }

  @Test("by hand it runs at once, even if nothing changed")
  func byHand() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "h--o----",
      "H-------")
    #expect(marbles.reloads[0].range.isEmpty)
    marbles.expect(
      "ch-o----",
      "-R------")
  }

  @Test("by hand no pause is waited for, and a run is waited for")
  func byHandWhileBusy() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---x-xh-h-o-o",
      "---R-A-A---H--")
  }

  @Test("a pause that was cut short by hand is over")
  func byHandDuringAPause() {
    var marbles = ReloadMarbles(.marbles(debounce: 1))
    marbles.expect(
      "c-x-x--xh(oc)----",
      "-R-A--A-A-R---")
  }

  @Test("by hand a run is ended where the policy says so")
  func byHandRestarts() {
    var marbles = ReloadMarbles(.marbles(onBusy: .restart))
    marbles.expect(
      "c---h-x--",
      "---RE-R--")
  }

  @Test("a request by hand that failed is tried again")
  func byHandFailed() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "h--x--o--",
      "H---A----")
  }

  @Test("a lost position is a run for anything, until one is confirmed")
  func reset() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "cl---x-c--o-o",
      "----N-N---R--")
    #expect(marbles.ranges == [[2, 2], [2, 2], [2, 3]])
  }

  @Test("a run that began before the position was lost confirms nothing after it")
  func resetDuringARun() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---l-c------o--o---",
      "---R---------N------")
    #expect(marbles.ranges == [[0, 1], [2, 3]])
  }

  @Test("what failed before the position was lost is not tried again")
  func resetAfterAFailure() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---l-(xl)",
      "---R---")
    #expect(marbles.state.tries == .init(count: 1, until: ReloadMarbles.token(3)))
    marbles.expect(
      "-----",
      "--N--")
    #expect(marbles.ranges == [[0, 1], [3, 3]])
    #expect(marbles.reloads[1].attempt == 2)
  }
}
