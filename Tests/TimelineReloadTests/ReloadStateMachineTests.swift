import HistoryModel
import Testing

@testable import TimelineReload

@Suite("Reload state machine: bursts and runs")
struct ReloadStateMachineTests {
  @Test("a burst is one run, once it has been quiet for the debounce")
  func burst() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c-c-------o----",
      "-----R---------")
    #expect(marbles.ranges == [[0, 2]])
    #expect(marbles.reloads[0].range.transactions == 2)
    #expect(marbles.reloads[0].attempt == 1)
    #expect(marbles.reloads[0].kind == "tasks")
  }

  @Test("a burst that does not end runs after the maximum wait, again and again")
  func maximumWait() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "ccccccccc(oc)cccccccc(oc)",
      "--------R-------R--")
    #expect(marbles.ranges == [[0, 8], [8, 16]])
  }

  @Test("without a debounce every change that finds nothing running runs at once")
  func noDebounce() {
    var marbles = ReloadMarbles(.marbles(debounce: 0))
    marbles.expect(
      "c-ccoo-c",
      "R---R--R")
    #expect(marbles.ranges == [[0, 1], [1, 3], [3, 4]])
  }

  @Test("what comes during a run is exactly one more, from where the first one ends")
  func duringARun() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c----c-c-c------o---o-----",
      "---R------------R---------")
    #expect(marbles.ranges == [[0, 1], [1, 4]])
  }

  @Test("a burst that still goes on when a run ends is waited for")
  func burstAcrossTheEnd() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c----c-(co)-c---",
      "---R--------R")
    #expect(marbles.ranges == [[0, 1], [1, 4]])
  }

  @Test("what does not match runs nothing, and the position moves on")
  func passedOver() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "pp----",
      "------")
    #expect(marbles.state.token == ReloadMarbles.token(2))
    marbles.expect(
      "cp---o",
      "---R--")
    #expect(marbles.ranges == [[2, 4]])
    #expect(marbles.state.token == ReloadMarbles.token(4))
  }

  @Test("what does not match during a run is passed over once the run has confirmed")
  func passedOverDuringARun() {
    var marbles = ReloadMarbles()
    _ = marbles.play("c---pp")
    #expect(marbles.state.token == ReloadMarbles.token(0))
    _ = marbles.play("o")
    #expect(marbles.state.token == ReloadMarbles.token(3))
  }

  @Test("a summary of nothing counts as passed over")
  func emptySummary() {
    var machine = ReloadStateMachine(
      kind: "tasks", .marbles(), ReloadState(at: ReloadMarbles.token(0)), now: .zero, wallClock: 0)
    let nothing = HistorySummary(since: ReloadMarbles.token(0), until: ReloadMarbles.token(5))
    #expect(machine.changed(nothing, now: .zero) == .rest)
    #expect(machine.keeping == .soon)
    #expect(machine.state(now: .zero, wallClock: 0).token == ReloadMarbles.token(5))
    machine.stateKept()
    #expect(machine.changed(nothing, now: .zero) == .rest)
    #expect(machine.keeping == .nothing, "Nothing is new.")
  }

  @Test("restarting, a burst that is due during a run ends it, and the whole range runs anew")
  func restart() {
    var marbles = ReloadMarbles(.marbles(onBusy: .restart))
    marbles.expect(
      "c-----c----x--o--",
      "---R-----E-R-----")
    #expect(marbles.ranges == [[0, 1], [0, 2]])
    #expect(marbles.reloads[1].reason == .changed, "Who makes way has not failed.")
    #expect(marbles.reloads[1].attempt == 1)
  }

  @Test("a run that was told to end confirms nothing, however it ends")
  func restartDespiteSuccess() {
    var marbles = ReloadMarbles(.marbles(onBusy: .restart))
    marbles.expect(
      "c-----c---o--o----",
      "---R-----ER-------")
    #expect(marbles.ranges == [[0, 1], [0, 2]])
    #expect(marbles.state.token == ReloadMarbles.token(2))
  }

  @Test("restarting, a run that ends before the next is due is as good as any")
  func restartNotNeeded() {
    var marbles = ReloadMarbles(.marbles(onBusy: .restart))
    marbles.expect(
      "c-----co-----",
      "---R-----R---")
    #expect(marbles.ranges == [[0, 1], [1, 2]])
  }

  @Test("a minimum interval gives each run that long before it is ended for the next")
  func restartWithInterval() {
    var marbles = ReloadMarbles(.marbles(minimumInterval: 10, onBusy: .restart))
    marbles.expect(
      "c---c---------x---",
      "---R---------ER---")
  }

  @Test("stopped, it ends the run, starts nothing more and counts the run as tried")
  func stopped() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---c--s--oc------",
      "---R---E----------")
    #expect(marbles.state.token == ReloadMarbles.token(0))
    #expect(marbles.state.tries == .init(count: 1, until: ReloadMarbles.token(1)))
    #expect(marbles.play("sh") == "--")
  }

  @Test("stopped while nothing runs, it does nothing")
  func stoppedAtRest() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "cs-----",
      "-------")
    #expect(marbles.state == ReloadState(at: ReloadMarbles.token(0)))
  }
}
