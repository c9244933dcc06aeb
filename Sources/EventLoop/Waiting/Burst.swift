/// Events that follow each other, by the first and the last of them, so that something is done once
/// for all.
package struct Burst: Sendable, Hashable {
  private let first: Duration
  private var last: Duration

  /// Begins with one event.
  ///
  /// - Parameter now: When it happened.
  package init(now: Duration) {
    first = now
    last = now
  }

  /// The burst with one more event.
  ///
  /// - Parameters:
  ///   - burst: What came before; nil for nothing.
  ///   - now: When the event happened.
  /// - Returns: The longer burst.
  package static func longer(_ burst: Burst?, now: Duration) -> Burst {
    var burst = burst ?? Burst(now: now)
    burst.last = now
    return burst
  }

  /// When it is over: nothing came for a while, or its first event is long enough ago.
  ///
  /// - Parameters:
  ///   - debounce: How long nothing may have come.
  ///   - maximumWait: How long after the first event it ends, even if they go on.
  /// - Returns: The moment.
  package func end(debounce: Duration, maximumWait: Duration) -> Duration {
    min(last + debounce, first + maximumWait)
  }
}
