import HistoryObservation
import HistoryTestSupport
import Testing

@Suite("All states of a waiting stream")
struct StreamPaceExploration {
  /// A stream that shows what comes and does what is due when it is due.
  private struct Waiting: ExploredSystem {
    enum Input {
      /// Something is shown, and the position moves.
      case shown
      /// Something is passed over, and the position moves.
      case passed
      /// A second passes.
      case second
      /// What is due is done; keeping works, or others are writing.
      case done
      case doneButBusy
    }

    var pace = StreamPace<Int>(
      timeout: .seconds(7), bookmarkInterval: .seconds(3), keepDelay: .seconds(2), now: .zero)
    var now = Duration.zero
    var position = 0
    var kept: Int?
    var lastShown = Duration.zero
    var lastBookmark = Duration.zero
    var lastTry: Duration?
    var isOver = false

    var inputs: [Input] {
      guard !isOver else { return [] }
      let due = pace.due(position, now: now)
      let may: [Input] = [.shown, .passed]
      return due.isEmpty ? may + [.second] : may + [.done, .doneButBusy]
    }

    mutating func take(_ input: Input) throws(BrokenPromise) {
      switch input {
      case .second: now += .seconds(1)
      case .passed: position += 1
      case .shown:
        position += 1
        lastShown = now
        pace.shown(now: now)
      case .done, .doneButBusy:
        for action in pace.due(position, now: now) {
          switch action {
          case .timeOut: isOver = true
          case .bookmark:
            lastBookmark = now
            pace.bookmarked(now: now)
          case .keep:
            if input == .done { kept = position }
            lastTry = now
            pace.triedToKeep(position, isKept: input == .done, now: now)
          }
        }
        let isOpen = isOver || pace.due(position, now: now).isEmpty
        try BrokenPromise.unless(isOpen, "What was done is due again at once.")
      }
    }

    func check() throws(BrokenPromise) {
      guard !isOver else { return }
      let due = pace.due(position, now: now)
      let wait = pace.wait(position, now: now)
      try BrokenPromise.unless(due.isEmpty == (wait != .zero), "Due \(due), and \(wait as Any).")
      try BrokenPromise.unless(wait.map { $0 >= .zero } ?? false, "It never wakes up.")
      let hasTimedOut = now >= lastShown + .seconds(7)
      try BrokenPromise.unless(due.contains(.timeOut) == hasTimedOut, "The end: \(due).")
      let needsBookmark = now >= lastBookmark + .seconds(3)
      try BrokenPromise.unless(due.contains(.bookmark) == needsBookmark, "A bookmark: \(due).")
      try BrokenPromise.unless(pace.isUnkept(position) == (kept != position), "What is kept.")
      let needsKeeping = kept != position && lastTry.map { now >= $0 + .seconds(2) } ?? true
      try BrokenPromise.unless(due.contains(.keep) == needsKeeping, "Keeping: \(due).")
      // Left alone it keeps what it has shown, and ends.
      var alone = self
      for _ in 0..<20 where !alone.isOver {
        try alone.take(alone.pace.due(alone.position, now: alone.now).isEmpty ? .second : .done)
      }
      try BrokenPromise.unless(alone.isOver, "Its time is over, and it does not end.")
      // What others' writing kept from being kept is kept at the end, where one may wait for them.
      let isKept = alone.kept == position || alone.pace.isUnkept(position)
      try BrokenPromise.unless(isKept, "It ends without its position.")
    }
  }

  @Test("it always wakes up in time to end, to say where it is, and to keep that")
  func all() throws {
    let visit = try StateExplorer(depth: TestScale.depth(14)).explore(Waiting())
    #expect(visit.states >= 1_500 && visit.steps >= 4_000, "\(visit)")
  }
}
