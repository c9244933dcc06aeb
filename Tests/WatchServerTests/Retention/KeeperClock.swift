import EventLoop

/// The time of a keeper as a test sets it, with the time of day that the test's writers have.
final class KeeperClock: LoopClock {
  private struct Alarm: Sendable {
    weak var holder: Holder?
    var due: Duration
    var call: @Sendable () -> Void
  }

  private final class Holder: Sendable {}

  private struct State: Sendable {
    var now = Duration.zero
    var alarms: [Alarm] = []
    var rings = 0
  }

  /// The time of day at the beginning, in milliseconds since 1970.
  let birth: Int64
  private let state = Guarded(State())

  init(birth: Int64) { self.birth = birth }

  var now: Duration { state.withLock { $0.now } }
  var wallClock: Int64 { birth + now.components.seconds * 1000 }
  /// How often somebody was woken.
  var rings: Int { state.withLock { $0.rings } }

  func alarm(
    after delay: Duration, on executor: LoopExecutor, _ call: @escaping @Sendable () -> Void
  ) -> AnyObject? {
    let holder = Holder()
    state.withLock { state in
      state.alarms.append(Alarm(holder: holder, due: state.now + delay, call: call))
    }
    return holder
  }

  /// Lets time pass on a loop, and rings every alarm at its time.
  func advance(by duration: Duration = .zero, on executor: LoopExecutor) async {
    await withCheckedContinuation { continuation in
      executor.perform { [self] in
        let end = now + duration
        while let call = nextCall(until: end) { call() }
        state.withLock { $0.now = end }
        continuation.resume()
      }
    }
  }

  private func nextCall(until end: Duration) -> (@Sendable () -> Void)? {
    state.withLock { state in
      state.alarms.removeAll { $0.holder == nil }
      let alarms = state.alarms
      guard let place = alarms.indices.min(by: { alarms[$0].due < alarms[$1].due }),
        alarms[place].due <= end
      else { return nil }
      let alarm = state.alarms.remove(at: place)
      state.now = max(state.now, alarm.due)
      state.rings += 1
      return alarm.call
    }
  }
}
