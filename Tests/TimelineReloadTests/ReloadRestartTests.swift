import HistoryModel
import Testing

@testable import TimelineReload

@Suite("Reload state machine: what outlives the process")
struct ReloadRestartTests {
  @Test("what waited when the process died runs afterwards")
  func waiting() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c-!c---o----",
      "------R-----")
    #expect(marbles.ranges == [[0, 2]])
    #expect(marbles.reloads[0].reason == .changed)
  }

  @Test("a run that nobody saw ending is tried again, with what came since")
  func running() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c----c!---o----!----",
      "---R-----A----------")
    #expect(marbles.ranges == [[0, 1], [0, 2]])
    #expect(marbles.reloads[1].attempt == 2)
  }

  @Test("what was confirmed runs no more")
  func confirmed() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "c---o!-----",
      "---R-------")
  }

  @Test("failures are still counted, and their pause is not waited for again")
  func failures() {
    var marbles = ReloadMarbles(.marbles(debounce: 1))
    marbles.expect(
      "c-x-x--x!-x-------o!----",
      "-R-A--A--A--------A-----")
    #expect(marbles.reloads.map(\.attempt) == [1, 2, 3, 4, 5])
  }

  @Test("a request by hand that could not be served yet is not forgotten")
  func request() {
    var marbles = ReloadMarbles(.marbles(minimumInterval: 10))
    marbles.expect(
      "hoh!--------o---!----",
      "H---------H----------")
  }

  @Test("a lost position is not forgotten, be the run confirmed or not")
  func reset() {
    var marbles = ReloadMarbles()
    marbles.expect(
      "l!---x-!---oc---",
      "----N-N---N----R")
  }

  @Test("the token stands where the tried range begins until its end is passed over")
  func triedRangeNoLongerMatches() {
    var state = ReloadState(at: ReloadMarbles.token(0))
    state.tries = .init(count: 2, until: ReloadMarbles.token(2))
    var marbles = ReloadMarbles(from: state)
    _ = marbles.play("p")
    #expect(marbles.state == state)
    _ = marbles.play("p")
    #expect(marbles.state == ReloadState(at: ReloadMarbles.token(2)))
  }

  @Test("interval and budget are remembered by the time of day")
  func allowance() {
    var marbles = ReloadMarbles(
      .marbles(debounce: 0, minimumInterval: 10, budget: .perDay(2)))
    marbles.expect(
      "c!----!----o-c!-----------",
      "R---------A---------------")
    #expect(marbles.rest(86_400 - 26).allSatisfy { $0 == "-" })
    #expect(marbles.play("-") == "R")
  }

  @Test("a clock that was set back makes nobody wait longer than the interval")
  func clockSetBack() {
    var marbles = ReloadMarbles(.marbles(debounce: 0, minimumInterval: 5))
    _ = marbles.play("co")
    marbles.wallClockOffset -= 1_000_000
    marbles.expect(
      "!c------",
      "-----R--")
  }

  @Test("a clock that was set back makes nobody wait longer than a day")
  func clockSetBackOverBudget() {
    var marbles = ReloadMarbles(.marbles(debounce: 0, budget: .perDay(1)))
    _ = marbles.play("co")
    marbles.wallClockOffset -= 1_000_000_000
    #expect(marbles.play("!c") == "--")
    #expect(marbles.rest(86_400 - 2).allSatisfy { $0 == "-" })
    #expect(marbles.play("-") == "R")
  }

  @Test("a clock that was set while the process ran changes nothing")
  func clockSetWhileRunning() {
    var marbles = ReloadMarbles(.marbles(debounce: 0, minimumInterval: 10))
    _ = marbles.play("co")
    marbles.wallClockOffset += 1_000_000
    _ = marbles.play("c")
    #expect(marbles.state.lastBeginning == Int64(marbles.wallClockOffset) * 1000)
    #expect(marbles.rest(8) == "-------R")
  }
}
