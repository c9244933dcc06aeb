import HistoryTestSupport
import Testing

@Suite("Manual clock")
struct ManualClockTests {
  @Test("a sleeper wakes when the clock is moved to its moment, and not before")
  func wakes() async throws {
    let clock = ManualClock()
    let sleeper = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(10))) }
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(9))
    #expect(clock.now.elapsed == .seconds(9))
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    try await sleeper.value
  }

  @Test("a moment that has passed is not slept for")
  func past() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(1))
    try await clock.sleep(until: clock.now.advanced(by: .milliseconds(-1)))
  }

  @Test("a cancelled sleeper is told, and others sleep on")
  func cancelled() async throws {
    let clock = ManualClock()
    let first = Task { try await clock.sleep(for: .seconds(1)) }
    let second = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.waitForSleepers(2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    clock.advance(by: .seconds(1))
    try await second.value
  }

  @Test("the time to another moment is the difference, with its sign")
  func durations() {
    let clock = ManualClock()
    let start = clock.now
    clock.advance(by: .milliseconds(1500))
    #expect(start.duration(to: clock.now) == .milliseconds(1500))
    #expect(clock.now.duration(to: start) == .milliseconds(-1500))
    #expect(start < clock.now)
  }
}
