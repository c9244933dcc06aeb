/// How long to wait for the look that needs no event.
///
/// Where events can be trusted it is a second. Each change that no event announced shows that
/// they cannot, and makes it short; each look in vain makes it longer again.
struct SafetyPace: Sendable, Hashable {
  private let shortest: Duration
  private let longest: Duration
  /// How long after the last look the next is due.
  private(set) var interval: Duration

  /// Makes the pace.
  ///
  /// - Parameter isSilent: Whether no source can promise to notice changes: then it polls, 20
  ///   times a second.
  init(isSilent: Bool) {
    shortest = .milliseconds(50)
    longest = isSilent ? shortest : .seconds(1)
    interval = longest
  }

  /// A look without an event found a change or not.
  mutating func looked(changed: Bool) {
    interval = changed ? shortest : min(interval * 2, longest)
  }
}
