import HistoryTestSupport
import Testing

@testable import EventLoop

@Suite("All states of the flood gate and of the safety look")
struct FloodGateExploration {
  private struct Flood: ExploredSystem {
    enum Input { case vainEvent, change, vainLook, ended }

    var gate = FloodGate()
    /// Events in vain since the flood began, or since the last pause.
    var vain = 0
    /// The last pause of this flood.
    var pause: Duration?

    let inputs: [Input] = [.vainEvent, .change, .vainLook, .ended]

    mutating func take(_ input: Input) throws(BrokenPromise) {
      var asked: Duration?
      switch input {
      case .vainEvent:
        vain += 1
        asked = gate.looked(forEvent: true, changed: false)
      case .change: asked = gate.looked(forEvent: true, changed: true)
      case .vainLook: asked = gate.looked(forEvent: false, changed: false)
      case .ended: gate.ended()
      }
      guard let asked else {
        if input == .change || input == .ended { (vain, pause) = (0, nil) }
        return
      }
      try BrokenPromise.unless(input == .vainEvent, "A pause for no event.")
      let enough = pause == nil ? FloodGate.allowance : FloodGate.probe
      try BrokenPromise.unless(vain >= enough, "A pause after \(vain) events.")
      try BrokenPromise.unless(asked >= pause ?? .zero, "A pause shorter than the one before it.")
      (vain, pause) = (0, asked)
    }

    func check() throws(BrokenPromise) {
      try BrokenPromise.unless(vain < FloodGate.allowance, "A flood without a pause.")
      let range = FloodGate.firstPause...FloodGate.longestPause
      try BrokenPromise.unless(range.contains(pause ?? range.lowerBound), "A pause of \(range).")
    }
  }

  @Test("a flood always meets a pause, a pause is never long, and no trickle meets one")
  func gate() throws {
    let visit = try StateExplorer().explore(Flood())
    #expect(visit.isComplete && visit.states >= 28 && visit.steps >= 112, "\(visit)")
  }

  private struct Looks: ExploredSystem {
    var pace: SafetyPace
    let longest: Duration

    let inputs = [false, true]

    mutating func take(_ changed: Bool) throws(BrokenPromise) {
      pace.looked(changed: changed)
      let isShort = pace.interval == .milliseconds(50)
      try BrokenPromise.unless(!changed || isShort, "A change that nothing told of, and no hurry.")
    }

    func check() throws(BrokenPromise) {
      let range = .milliseconds(50)...longest
      try BrokenPromise.unless(range.contains(pace.interval), "The next look in \(pace.interval).")
      var quiet = pace
      for _ in 0..<5 { quiet.looked(changed: false) }
      try BrokenPromise.unless(quiet.interval == longest, "It does not become calm again.")
    }
  }

  @Test("there is always a next look within a second", arguments: [true, false])
  func pace(isSilent: Bool) throws {
    let pace = SafetyPace(isSilent: isSilent)
    let visit = try StateExplorer().explore(Looks(pace: pace, longest: pace.interval))
    #expect(visit.isComplete && visit.states >= (isSilent ? 1 : 6), "\(visit)")
  }
}
