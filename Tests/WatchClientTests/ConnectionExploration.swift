import HistoryTestSupport
import Testing

@testable import WatchClient

@Suite("All states of a connection that fails")
struct ConnectionExploration {
  /// Chance that always decides in the same way.
  private struct Chance: RandomNumberGenerator {
    let value: UInt64
    mutating func next() -> UInt64 { value }
  }

  /// A client, and a server that is there, useful, or neither.
  private struct Connecting: ExploredSystem {
    enum Input {
      /// The client wants a connection; chance cuts the pause short as much as it can, or not.
      case nextSoon
      case nextLate
      case connected
      case useful
      case failed
      case end
    }

    enum Phase { case none, pausing, connecting, standing, useful, ended }

    var machine = ConnectionStateMachine()
    var phase = Phase.none
    /// How many attempts failed since a connection was of use.
    var failures = 0

    var inputs: [Input] {
      switch phase {
      case .none: [.nextSoon, .nextLate, .failed, .end]
      case .pausing: [.nextSoon, .failed, .end]
      case .connecting: [.connected, .useful, .failed, .end]
      case .standing, .useful: [.connected, .useful, .failed, .end]
      case .ended: [.nextSoon, .connected, .useful, .failed, .end]
      }
    }

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .nextSoon, .nextLate:
        var chance = Chance(value: input == .nextSoon ? .max : 0)
        try follow(machine.next(using: &chance))
      case .connected:
        machine.connected()
        if phase == .connecting { phase = .standing }
      case .useful:
        machine.wasOfUse()
        if phase == .standing { (phase, failures) = (.useful, 0) }
      case .failed:
        machine.failed()
        if phase != .ended { (phase, failures) = (.none, failures + 1) }
      case .end:
        machine.end()
        phase = .ended
      }
    }

    private mutating func follow(
      _ action: ConnectionStateMachine.Action
    ) throws(BrokenPromise) {
      switch action {
      case .stop:
        try BrokenPromise.unless(phase == .ended, "It gives up.")
      case .pause(let pause):
        try BrokenPromise.unless(phase == .none && failures > 0, "A pause for no failure.")
        let longest = min(.milliseconds(100) * (1 << min(failures - 1, 20)), .seconds(10))
        let shortest = max(longest / 2, .milliseconds(100))
        // Chance stays a little below all of the difference.
        let range = (shortest - .microseconds(1))...longest
        try BrokenPromise.unless(
          range.contains(pause), "\(failures) failures, a pause of \(pause).")
        phase = .pausing
      case .connect:
        let isFirst = phase == .none && failures == 0
        try BrokenPromise.unless(isFirst || phase == .pausing, "It tries again without a pause.")
        phase = .connecting
      }
    }

    func check() throws(BrokenPromise) {
      guard phase == .none || phase == .pausing else { return }
      var alone = self
      for _ in 0..<2 where alone.phase != .connecting { try alone.take(.nextLate) }
      try BrokenPromise.unless(alone.phase == .connecting, "It does not try again.")
      try alone.take(.connected)
      try alone.take(.useful)
      try alone.take(.failed)
      try BrokenPromise.unless(alone.failures == 1, "It has not forgotten old failures.")
      try alone.take(.nextLate)
    }
  }

  @Test("it tries again for ever, each time after a pause, and never after more than ten seconds")
  func all() throws {
    let visit = try StateExplorer(depth: 40).explore(Connecting())
    #expect(visit.states >= 150 && visit.steps >= 600, "\(visit)")
  }
}
