/// What time it is for whatever waits on a loop, and what tells it that a time has come.
package protocol LoopClock: Sendable {
  /// The time since any fixed moment.
  var now: Duration { get }
  /// The time of day, in milliseconds since 1970.
  var wallClock: Int64 { get }

  /// Calls back once, on the loop, unless what it returns is let go before.
  ///
  /// - Parameters:
  ///   - delay: After how long.
  ///   - executor: The loop.
  ///   - call: What to call.
  /// - Returns: What keeps the call coming.
  func alarm(
    after delay: Duration, on executor: LoopExecutor, _ call: @escaping @Sendable () -> Void
  ) -> AnyObject?
}

/// The system's time.
package struct SystemLoopClock: LoopClock {
  private let start = ContinuousClock.now

  /// Begins at the present.
  package init() {}

  package var now: Duration { start.duration(to: .now) }
  package var wallClock: Int64 { WallClock.milliseconds }

  package func alarm(
    after delay: Duration, on executor: LoopExecutor, _ call: @escaping @Sendable () -> Void
  ) -> AnyObject? {
    // Without a timer there is nothing to wait for; libuv never refuses one.
    guard let timer = try? LoopTimer(on: executor) else { return nil }
    timer.start(after: delay, call)
    return timer
  }
}
