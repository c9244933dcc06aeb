import Testing

@testable import WatchServer

@Suite("When history is looked after")
struct RetentionStateMachineTests {
  private typealias Pace = RetentionStateMachine.Pace

  private func ms(_ count: Int) -> Duration { .milliseconds(count) }

  @Test("with nothing to do it looks once a minute")
  func idle() {
    var machine = RetentionStateMachine()
    #expect(machine.looked(.nothing, now: ms(0)) == .sleep(until: ms(60_000)))
    #expect(machine.looked(.nothing, now: ms(60_000)) == .sleep(until: ms(120_000)))
  }

  @Test("a commit brings the look forward, not more than once in five seconds")
  func commits() {
    var machine = RetentionStateMachine()
    _ = machine.looked(.nothing, now: ms(0))
    #expect(machine.committed(now: ms(10)) == ms(5_000))
    // Further ones change nothing.
    #expect(machine.committed(now: ms(20)) == nil)
    #expect(machine.committed(now: ms(4_999)) == nil)
    _ = machine.looked(.nothing, now: ms(5_000))
    #expect(machine.committed(now: ms(30_000)) == ms(30_000))
    #expect(machine.committed(now: ms(30_000)) == nil)
  }

  @Test("while it works commits bring nothing forward")
  func commitsAtWork() {
    var machine = RetentionStateMachine()
    #expect(machine.looked(.unfinished, now: ms(0)) == .sleep(until: ms(5)))
    #expect(machine.committed(now: ms(1)) == nil)
  }

  @Test("where nobody writes it works step by step")
  func alone() {
    var machine = RetentionStateMachine()
    var now = ms(0)
    for _ in 0..<100 {
      #expect(machine.looked(.work(othersCommitted: false), now: now) == .work)
      #expect(machine.worked(now: now) == .sleep(until: now + Pace.working))
      now += Pace.working
    }
    #expect(machine.timesPutOff == 0)
  }

  @Test("while others commit it is put off, for two seconds at first and then a little less")
  func putOff() {
    var machine = RetentionStateMachine()
    var line = ""
    // A look every 25 ms: a dot for one that was put off, an x for one that worked.
    for look in 0..<320 {
      let now = ms(25 * look)
      switch machine.looked(.work(othersCommitted: true), now: now) {
      case .work:
        line += "x"
        #expect(machine.worked(now: now) == .sleep(until: now + Pace.quiet))
      case .sleep(let moment):
        line += "."
        #expect(moment == now + Pace.quiet)
      }
    }
    let dots = line.split(separator: "x").map(\.count)
    #expect(Array(dots.prefix(4)) == [80, 71, 64, 58])
    #expect(machine.timesPutOff == line.count { $0 == "." })
  }

  @Test("it never is put off for less than fifty milliseconds, nor for ever")
  func floor() {
    var machine = RetentionStateMachine()
    var steps: [Duration] = []
    for look in 0..<4_000 {
      let now = ms(25 * look)
      guard machine.looked(.work(othersCommitted: true), now: now) == .work else { continue }
      steps.append(now)
      _ = machine.worked(now: now)
    }
    let gaps = zip(steps, steps.dropFirst()).map { $1 - $0 }
    #expect(gaps.allSatisfy { $0 >= Pace.patience.least && $0 <= Pace.patience.most })
    #expect(gaps.last == Pace.patience.least)
    // Once there was nothing to do, patience is back.
    let now = ms(1_000_000)
    _ = machine.looked(.nothing, now: now)
    _ = machine.looked(.work(othersCommitted: true), now: now)
    let late = machine.looked(.work(othersCommitted: true), now: now + ms(1_999))
    #expect(late == .sleep(until: now + ms(1_999) + Pace.quiet))
    #expect(machine.looked(.work(othersCommitted: true), now: now + ms(2_000)) == .work)
  }

  @Test("a pause of the others is used at once")
  func pause() {
    var machine = RetentionStateMachine()
    _ = machine.looked(.work(othersCommitted: true), now: ms(0))
    _ = machine.looked(.work(othersCommitted: true), now: ms(25))
    #expect(machine.looked(.work(othersCommitted: false), now: ms(50)) == .work)
    #expect(machine.worked(now: ms(51)) == .sleep(until: ms(51) + Pace.working))
  }

  @Test("a lock that somebody has is not waited for")
  func busy() {
    var machine = RetentionStateMachine()
    #expect(machine.looked(.work(othersCommitted: false), now: ms(0)) == .work)
    #expect(machine.wasBusy(now: ms(0)) == .sleep(until: ms(25)))
  }

  @Test("once it was put off for long it tries often, at uneven distances")
  func insists() {
    var machine = RetentionStateMachine()
    var now = ms(0)
    _ = machine.looked(.work(othersCommitted: true), now: now)
    now = ms(2_000)
    var pauses: Set<Duration> = []
    for _ in 0..<20 {
      #expect(machine.looked(.work(othersCommitted: true), now: now) == .work)
      guard case .sleep(let moment) = machine.wasBusy(now: now) else { continue }
      pauses.insert(moment - now)
      now = moment
    }
    #expect(pauses.count > 3)
    #expect(pauses.allSatisfy { $0 >= ms(2) && $0 <= ms(8) })
  }

  @Test("failures come at growing distances, and success forgets them")
  func failures() {
    var machine = RetentionStateMachine()
    let pauses = (0..<8).map { _ in machine.failed(now: .zero) }
    #expect(
      pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .sleep(until: .seconds($0)) })
    // Nothing that is committed makes a store that is missing any better.
    #expect(machine.committed(now: .zero) == nil)
    _ = machine.looked(.nothing, now: .zero)
    #expect(machine.failed(now: .zero) == .sleep(until: .seconds(1)))
  }
}
