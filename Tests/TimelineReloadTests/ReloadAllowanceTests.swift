import HistoryModel
import Testing

@testable import TimelineReload

@Suite("Reload state machine: interval and budget")
struct ReloadAllowanceTests {
  @Test("runs begin at least the minimum interval apart, and what waits is merged")
  func minimumInterval() {
    var marbles = ReloadMarbles(.marbles(debounce: 1, minimumInterval: 6))
    marbles.expect(
      "c-o-c-c-c-o-----",
      "-R-----R-----R--")
    #expect(marbles.ranges == [[0, 1], [1, 3], [3, 4]])
  }

  @Test("the minimum interval holds for retries and for requests by hand")
  func minimumIntervalOfRetries() {
    var marbles = ReloadMarbles(.marbles(minimumInterval: 6))
    marbles.expect(
      "h-x------oh-----",
      "H-----A-----H---")
  }

  @Test("over its budget it waits for the day to end and drops nothing")
  func budget() {
    var marbles = ReloadMarbles(.marbles(debounce: 0, budget: .perDay(3)))
    marbles.expect(
      "cococococo",
      "R-R-R-----")
    #expect(marbles.rest(86_400 - 11).allSatisfy { $0 == "-" })
    #expect(marbles.play("---") == "-R-", "24 hours after the first run.")
    #expect(marbles.ranges.last == [3, 5])
    #expect(marbles.play("ococ") == "-R-R")
  }

  @Test("every run counts: failures, requests, and those that made way")
  func everyRunCounts() {
    var marbles = ReloadMarbles(.marbles(debounce: 1, budget: .perDay(4), onBusy: .restart))
    marbles.expect(
      "h-x--c-x-o-h-o-c--",
      "H--A--EA---H------")
    #expect(marbles.rest(86_400 - 18).allSatisfy { $0 == "-" })
    #expect(marbles.play("-") == "R")
  }

  @Test("a run is not ended for one that the budget does not allow yet")
  func noRestartOverBudget() {
    var marbles = ReloadMarbles(.marbles(debounce: 1, budget: .perDay(1), onBusy: .restart))
    marbles.expect(
      "c-c----o---",
      "-R---------")
  }

  @Test("a day begins with its first run, not with the one before")
  func laterDay() {
    var marbles = ReloadMarbles(.marbles(debounce: 0, budget: .perDay(2)))
    #expect(marbles.play("co") == "R-")
    _ = marbles.rest(100_000)
    #expect(marbles.play("cococo") == "R-R---")
    _ = marbles.rest(86_400 - 7)
    #expect(marbles.play("---") == "-R-")
  }

  @Test("without a budget nothing is counted")
  func uncounted() {
    var marbles = ReloadMarbles()
    _ = marbles.play("c---o")
    #expect(marbles.state.day == nil)
    #expect(marbles.state.lastBeginning == 1_800_000_003_000)
  }
}
