import HistoryTestSupport
import HistoryModel
import HistoryTestSupport
import Testing

@testable import TimelineReload

/// What holds for any order of events, by playing many.
@Suite("Reload state machine: random marbles")
struct ReloadRandomTests {
  private static let policies: [ReloadPolicy] = [
    .marbles(), .marbles(debounce: 0), .marbles(onBusy: .restart),
    .marbles(minimumInterval: 7), .marbles(minimumInterval: 7, onBusy: .restart),
    .marbles(debounce: 1, maximumWait: 2, budget: .perDay(40)),
  ]

  /// That two never run at once and that the state is kept before each run, the marbles themselves
  /// expect.
  @Test(
    "every commit that matches is in a confirmed run, and peace leaves nothing to do",
    arguments: TestScale.seeds(300))
  func random(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let policy = Self.policies[Int(seed) % Self.policies.count]
    var marbles = ReloadMarbles(policy)
    var played = ""
    for _ in 0..<120 {
      var input: Character = "---cccpphloxox!".randomElement(using: &generator) ?? "-"
      if "ox".contains(input), !marbles.isRunning { input = "-" }
      played.append(input)
      _ = marbles.play(String(input))
    }
    // Peace: every run succeeds, until a day has passed.
    for _ in 0..<1500 { _ = marbles.play(marbles.isRunning ? "o" : "-") }
    if policy.budget != nil {
      _ = marbles.rest(86_400)
      for _ in 0..<100 { _ = marbles.play(marbles.isRunning ? "o" : "-") }
    }
    let state = marbles.state
    #expect(!marbles.isRunning, "\(played)")
    #expect(state.tries == nil && state.debt == .nothing, "\(played)")
    #expect(state.token == ReloadMarbles.token(marbles.history.count), "\(played)")
    for place in 1...marbles.history.count where marbles.history[place - 1] {
      let token = ReloadMarbles.token(place)
      let isCovered = marbles.confirmed.contains { reload in
        let isInside = reload.range.since < token && token <= reload.range.until
        return isInside || (reload.reason == .reset && token <= reload.range.since)
      }
      #expect(isCovered, "\(place) of \(played)")
    }
    for (earlier, later) in zip(marbles.beginnings, marbles.beginnings.dropFirst()) {
      #expect(.seconds(later - earlier) >= policy.minimumInterval ?? .zero, "\(played)")
    }
  }
}
