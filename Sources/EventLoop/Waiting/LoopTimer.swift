import CLibUV

/// Calls back after a time, once or again and again, to the millisecond.
///
/// Confined to the loop. It stops when the last reference to it goes.
public final class LoopTimer {
  private let handle: LoopHandle
  private var callback: (() -> Void)?

  /// Makes a timer that does not run yet.
  ///
  /// - Parameter executor: The loop that calls back.
  /// - Throws: ``LoopError`` if libuv refuses.
  public init(on executor: LoopExecutor) throws(LoopError) {
    handle = try LoopHandle(
      UV_TIMER, as: uv_timer_t.self, on: executor, "uv_timer_init", initialize: uv_timer_init)
    handle.belong(to: self)
  }

  deinit { handle.close() }

  /// Starts the timer, or starts it anew.
  ///
  /// - Parameters:
  ///   - delay: How long until the first call; rounded up to whole milliseconds.
  ///   - interval: How long from one call to the next, or `nil` for a single call.
  ///   - callback: What to call, on the loop.
  public func start(
    after delay: Duration, repeating interval: Duration? = nil, _ callback: @escaping () -> Void
  ) {
    self.callback = callback
    let repeating = interval.map { max(1, $0.wholeMilliseconds) } ?? 0
    handle.with(uv_timer_t.self) { timer in
      // The loop's idea of the time is as old as its last wake-up.
      uv_update_time(handle.executor.loop)
      return uv_timer_start(
        timer, { LoopHandle.owner(of: $0, as: LoopTimer.self)?.fired() },
        delay.wholeMilliseconds, repeating)
    }
  }

  /// Stops the timer; no call comes after this.
  public func stop() {
    callback = nil
    handle.with(uv_timer_t.self, uv_timer_stop)
  }

  private func fired() {
    callback?()
  }
}

extension Duration {
  /// The duration in milliseconds, rounded up, never negative.
  var wholeMilliseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let perMillisecond: Int64 = 1_000_000_000_000_000
    return UInt64(seconds) * 1000 + UInt64((attoseconds + perMillisecond - 1) / perMillisecond)
  }

  /// The duration in nanoseconds, rounded down, never negative.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
