package import EventLoop

/// The time as a test sets it.
package final class ManualLoopClock: LoopClock {
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

  private let birth: Int64
  private let state = Guarded(State())

  /// Makes a clock that stands at its beginning.
  ///
  /// - Parameter birth: The time of day then, in milliseconds since 1970.
  package init(birth: Int64 = 1_800_000_000_000) { self.birth = birth }

  /// The time since its beginning.
  package var now: Duration { state.withLock { $0.now } }

  /// A time of day that moves with it.
  package var wallClock: Int64 { birth + now.components.seconds * 1000 }

  /// How often somebody was woken.
  package var rings: Int { state.withLock { $0.rings } }

  /// Calls back once the time was moved there, unless what it returns is let go before.
  package func alarm(
    after delay: Duration, on executor: LoopExecutor, _ call: @escaping @Sendable () -> Void
  ) -> AnyObject? {
    let holder = Holder()
    state.withLock { state in
      state.alarms.append(Alarm(holder: holder, due: state.now + delay, call: call))
    }
    return holder
  }

  /// Lets time pass on a loop, and rings every alarm at its time.
  ///
  /// - Parameters:
  ///   - duration: How much time.
  ///   - executor: The loop of the alarms; whatever waited on it before has been done then.
  package func advance(by duration: Duration = .zero, on executor: LoopExecutor) async {
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
