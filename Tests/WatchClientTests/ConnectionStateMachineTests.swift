import Testing
import WatchClient

@Suite("Connection state machine")
struct ConnectionStateMachineTests {
  @Test("it connects at once, and pauses after each failure, twice as long each time")
  func growing() {
    var machine = ConnectionStateMachine()
    var low = FixedGenerator(word: 0)
    var pauses: [Duration] = []
    for _ in 0..<9 {
      #expect(machine.next(using: &low) == .connect)
      machine.failed()
      guard case .pause(let pause) = machine.next(using: &low) else {
        Issue.record("It should pause.")
        return
      }
      pauses.append(pause)
    }
    #expect(
      pauses
        == [100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000].map { .milliseconds($0) })
  }

  @Test("chance cuts a pause to no less than half of it, and to no less than the shortest")
  func chance() {
    var machine = ConnectionStateMachine()
    var high = FixedGenerator(word: .max)
    var pauses: [Duration] = []
    for _ in 0..<9 {
      #expect(machine.next(using: &high) == .connect)
      machine.failed()
      guard case .pause(let pause) = machine.next(using: &high) else {
        Issue.record("It should pause.")
        return
      }
      pauses.append(pause)
    }
    let shortest: [Duration] = [100, 100, 200, 400, 800, 1600, 3200, 5000, 5000]
      .map { .milliseconds($0) }
    #expect(zip(pauses, shortest).allSatisfy { abs($0.seconds - $1.seconds) < 0.001 }, "\(pauses)")
  }

  @Test("a connection that only stood changes nothing, one that was of use begins anew")
  func use() {
    var machine = ConnectionStateMachine()
    var low = FixedGenerator(word: 0)
    for expected in [100, 200, 400] {
      #expect(machine.next(using: &low) == .connect)
      machine.connected()
      machine.failed()
      #expect(machine.next(using: &low) == .pause(.milliseconds(expected)))
    }
    #expect(machine.next(using: &low) == .connect)
    machine.connected()
    machine.wasOfUse()
    machine.failed()
    #expect(machine.next(using: &low) == .pause(.milliseconds(100)))
  }

  @Test("after the end nothing is done")
  func ended() {
    var machine = ConnectionStateMachine()
    var low = FixedGenerator(word: 0)
    #expect(machine.next(using: &low) == .connect)
    machine.end()
    machine.failed()
    #expect(machine.next(using: &low) == .stop)
  }
}

/// The same word again and again.
struct FixedGenerator: RandomNumberGenerator, Sendable {
  let word: UInt64
  mutating func next() -> UInt64 { word }
}

extension Duration {
  fileprivate var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
