import HistoryModel
import HistoryTestSupport
import Testing

@testable import TimelineReload

@Suite("All states of a reload")
struct ReloadExploration {
  @Test(
    "no commit is forgotten, no two runs are on their way, and no crash loses anything",
    arguments: [
      ReloadPolicy.marbles(debounce: 2, maximumWait: 3),
      .marbles(debounce: 0, maximumWait: 0),
      .marbles(debounce: 2, maximumWait: 3, onBusy: .restart),
      .marbles(debounce: 1, maximumWait: 2, minimumInterval: 4, onBusy: .restart),
      .marbles(debounce: 1, maximumWait: 2, minimumInterval: 4, budget: .perDay(2)),
    ])
  func all(policy: ReloadPolicy) throws {
    let visit = try StateExplorer(depth: TestScale.depth(6)).explore(ExploredReload(policy))
    #expect(visit.states >= 4_000 && visit.steps >= 7_000, "\(visit)")
  }
}
