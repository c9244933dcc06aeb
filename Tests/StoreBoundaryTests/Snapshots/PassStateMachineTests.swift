import HistoryTestSupport
import Testing

@testable import StoreBoundary

@Suite("Passes as a state machine")
struct PassStateMachineTests {
  @Test("without times a pass follows at once, and one more for all that came during it")
  func coalescing() {
    var machine = PassStateMachine(.init())
    #expect(machine.requested(now: .zero) == .begin)
    #expect(machine.requested(now: .zero) == .rest)
    #expect(machine.requested(isUrgent: true, now: .seconds(1)) == .rest)
    #expect(machine.ended(hasFailed: false, now: .seconds(2)) == .begin)
    #expect(machine.ended(hasFailed: false, now: .seconds(3)) == .rest)
  }

  @Test("a burst becomes one pass once it is quiet, or has lasted long enough")
  func debounce() {
    var machine = PassStateMachine(.init(debounce: .seconds(2), maximumWait: .seconds(5)))
    #expect(machine.requested(now: .zero) == .wait(until: .seconds(2)))
    #expect(machine.requested(now: .seconds(1)) == .wait(until: .seconds(3)))
    #expect(machine.timerFired(now: .seconds(2)) == .wait(until: .seconds(3)))
    #expect(machine.requested(now: .seconds(3)) == .wait(until: .seconds(5)))
    #expect(machine.requested(now: .seconds(4)) == .wait(until: .seconds(5)))
    #expect(machine.timerFired(now: .seconds(5)) == .begin)
    #expect(machine.ended(hasFailed: false, now: .seconds(6)) == .rest)
  }

  @Test("what came during a pass settles before the next")
  func debounceDuringPass() {
    var machine = PassStateMachine(.init(debounce: .seconds(2), maximumWait: .seconds(5)))
    #expect(machine.requested(isUrgent: true, now: .zero) == .begin)
    #expect(machine.requested(now: .seconds(1)) == .rest)
    #expect(machine.ended(hasFailed: false, now: .seconds(2)) == .wait(until: .seconds(3)))
    #expect(machine.timerFired(now: .seconds(3)) == .begin)
  }

  @Test("a failure is tried again after 1 s, 2 s, 4 s and so on, up to a minute")
  func pauses() {
    var machine = PassStateMachine(.init())
    #expect(machine.requested(now: .zero) == .begin)
    var now = Duration.zero
    for pause in [1, 2, 4, 8, 16, 32, 60, 60, 60] as [Int64] {
      #expect(machine.ended(hasFailed: true, now: now) == .wait(until: now + .seconds(pause)))
      // A request does not cut the pause short.
      #expect(machine.requested(now: now) == .wait(until: now + .seconds(pause)))
      now += .seconds(pause)
      #expect(machine.timerFired(now: now) == .begin)
    }
    #expect(machine.ended(hasFailed: false, now: now) == .rest)
    #expect(machine.requested(now: now) == .begin)
    #expect(machine.ended(hasFailed: true, now: now) == .wait(until: now + .seconds(1)))
  }

  @Test("whoever waits is not kept by a pause, nor by a burst")
  func urgent() {
    var machine = PassStateMachine(.init(debounce: .seconds(2), maximumWait: .seconds(5)))
    #expect(machine.requested(now: .zero) == .wait(until: .seconds(2)))
    #expect(machine.requested(isUrgent: true, now: .seconds(1)) == .begin)
    #expect(machine.ended(hasFailed: true, now: .seconds(1)) == .wait(until: .seconds(2)))
    #expect(machine.requested(isUrgent: true, now: .seconds(1)) == .begin)
    #expect(machine.ended(hasFailed: true, now: .seconds(1)) == .wait(until: .seconds(3)))
  }

  @Test("nothing begins once it was stopped")
  func stopped() {
    var machine = PassStateMachine(.init())
    #expect(machine.requested(now: .zero) == .begin)
    machine.stopped()
    #expect(machine.requested(isUrgent: true, now: .zero) == .rest)
    #expect(machine.ended(hasFailed: true, now: .zero) == .rest)
    #expect(machine.timerFired(now: .seconds(99)) == .rest)
  }

  @Test("whatever happens, a pass that succeeds begins after the last request", arguments: 0..<200)
  func nothingIsLost(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var machine = PassStateMachine(
      .init(
        debounce: .milliseconds(Int.random(in: 0...50, using: &random)),
        maximumWait: .milliseconds(Int.random(in: 0...90, using: &random))))
    var now = Duration.zero
    var (requests, seen, covered) = (0, 0, 0)
    var isRunning = false
    var wait: Duration?
    func take(_ action: PassStateMachine.Action) {
      wait = nil
      switch action {
      case .rest: break
      case .wait(let time):
        #expect(time > now)
        #expect(!isRunning)
        wait = time
      case .begin:
        #expect(!isRunning)
        (isRunning, seen) = (true, requests)
      }
    }
    func end(hasFailed: Bool) {
      isRunning = false
      if !hasFailed { covered = seen }
      take(machine.ended(hasFailed: hasFailed, now: now))
    }
    for _ in 0..<100 {
      now += .milliseconds(Int.random(in: 0...40, using: &random))
      switch Int.random(in: 0..<4, using: &random) {
      case 0, 1:
        requests += 1
        take(machine.requested(isUrgent: Bool.random(using: &random), now: now))
      case 2 where isRunning: end(hasFailed: Bool.random(using: &random))
      default:
        if let due = wait, due <= now { take(machine.timerFired(now: now)) }
      }
    }
    while isRunning || wait != nil {
      if isRunning {
        end(hasFailed: false)
      } else if let due = wait {
        now = max(now, due)
        take(machine.timerFired(now: now))
      }
    }
    #expect(covered == requests)
  }
}
