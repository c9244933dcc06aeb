import Testing

@testable import EventLoop

@Suite("Safety pace")
struct SafetyPaceTests {
  @Test("a change that nothing announced shortens the pace, looks in vain lengthen it again")
  func adapts() {
    var pace = SafetyPace(isSilent: false)
    #expect(pace.interval == .seconds(1))
    pace.looked(changed: true)
    #expect(pace.interval == .milliseconds(50))
    for milliseconds in [100, 200, 400, 800, 1000, 1000] {
      pace.looked(changed: false)
      #expect(pace.interval == .milliseconds(milliseconds))
    }
  }

  @Test("where events are silent the pace stays at 20 a second")
  func silent() {
    var pace = SafetyPace(isSilent: true)
    pace.looked(changed: false)
    #expect(pace.interval == .milliseconds(50))
  }
}

@Suite("Flood gate")
struct FloodGateTests {
  @Test("many events in vain bring a pause, then fewer bring a longer one")
  func pauses() {
    var gate = FloodGate()
    for _ in 1..<FloodGate.allowance {
      #expect(gate.looked(forEvent: true, changed: false) == nil)
    }
    for milliseconds in [1, 2, 4, 8, 8] {
      #expect(gate.looked(forEvent: true, changed: false) == .milliseconds(milliseconds))
      for _ in 1..<FloodGate.probe {
        #expect(gate.looked(forEvent: true, changed: false) == nil)
      }
    }
  }

  @Test("a change, or rest, ends the flood; looks without events do not count")
  func ends() {
    var gate = FloodGate()
    for _ in 1...100 {
      for _ in 1..<FloodGate.allowance {
        #expect(gate.looked(forEvent: true, changed: false) == nil)
      }
      #expect(gate.looked(forEvent: false, changed: false) == nil)
      #expect(gate.looked(forEvent: false, changed: true) == nil)
    }
  }
}
