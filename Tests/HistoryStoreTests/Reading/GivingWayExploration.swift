import HistoryStore
import HistoryTestSupport
import Testing

@Suite("All states of giving way to writers")
struct GivingWayExploration {
  /// A reader who asks again and again whether somebody writes.
  private struct Reading: ExploredSystem {
    enum Input: Hashable {
      case found(isWriting: Bool)
      case time(milliseconds: Int)
      case caughtUp
    }

    var machine: GivingWay
    let insistence: Duration
    var now = Duration.zero
    /// Since when a writer was met at each question.
    var waitsSince: Duration?
    /// Since when it has been reading in spite of one.
    var readsSince: Duration?

    init(insistence: Duration) {
      self.insistence = insistence
      machine = GivingWay(insistence: insistence)
    }

    let inputs: [Input] = [
      .found(isWriting: true), .found(isWriting: false), .time(milliseconds: 5),
      .time(milliseconds: 25), .time(milliseconds: 70), .caughtUp,
    ]

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .time(let length): now += .milliseconds(length)
      case .caughtUp:
        machine.caughtUp()
        (waitsSince, readsSince) = (nil, nil)
      case .found(isWriting: false):
        let action = machine.found(isWriting: false, now: now)
        try BrokenPromise.unless(action == .read, "Nobody writes, and it waits.")
        (waitsSince, readsSince) = (nil, nil)
      case .found(isWriting: true):
        switch machine.found(isWriting: true, now: now) {
        case .wait:
          let waited = now - (waitsSince ?? now)
          try BrokenPromise.unless(waited < GivingWay.patience, "It gives way for \(waited).")
          (waitsSince, readsSince) = (waitsSince ?? now, nil)
        case .read:
          let waited = waitsSince.map { now - $0 } ?? .zero
          let isFirst = readsSince == nil
          try BrokenPromise.unless(
            !isFirst || waited >= GivingWay.patience, "It reads although it waited only \(waited).")
          try BrokenPromise.unless(
            isFirst || now < readsSince.map { $0 + insistence } ?? now, "It gives way no more.")
          (waitsSince, readsSince) = (nil, readsSince ?? now)
        }
      }
      try BrokenPromise.unless(machine.isInsisting == (readsSince != nil), "It says otherwise.")
    }

    func check() throws(BrokenPromise) {
      // A writer who never stops: it reads all the same.
      var busy = self
      for _ in 0..<3 where busy.readsSince == nil {
        try busy.take(.found(isWriting: true))
        try busy.take(.time(milliseconds: 25))
      }
      try BrokenPromise.unless(busy.readsSince != nil, "Writers keep it from reading for ever.")
    }
  }

  @Test(
    "it gives way for a while and never for ever, and insists no longer than it should",
    arguments: [Duration.zero, .milliseconds(100)])
  func all(insistence: Duration) throws {
    let visit = try StateExplorer(depth: TestScale.depth(10)).explore(
      Reading(insistence: insistence))
    #expect(visit.states >= 2_000 && visit.steps >= 9_000, "\(visit)")
  }
}
