/// Decides when to stop listening for a moment, since events come faster than they are worth.
///
/// A bulk transaction writes hundreds of thousands of pages before anything is visible, and each
/// may raise an event. Listening to all of them took 60 % of a core and slowed the writer by 14 %.
/// Whoever stops listening has to look when he listens again.
struct FloodGate: Sendable, Hashable {
  /// So many events in vain are no flood yet: a commit of a hundred pages makes about as many.
  static let allowance = 16
  /// After a pause so many are enough.
  static let probe = 4
  /// The first pause is about as long as the flood was.
  static let firstPause = Duration.milliseconds(1)
  /// The longest pause: how late a bulk transaction may be seen.
  static let longestPause = Duration.milliseconds(8)

  private var left = allowance
  private var pause = firstPause

  /// A look found a change or not.
  ///
  /// - Parameters:
  ///   - forEvent: Whether an event asked for it.
  ///   - changed: Whether it found a change.
  /// - Returns: For how long to listen no more, if at all.
  mutating func looked(forEvent: Bool, changed: Bool) -> Duration? {
    if changed { ended() }
    guard forEvent, !changed else { return nil }
    left -= 1
    guard left <= 0 else { return nil }
    left = Self.probe
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause
  }

  /// Nothing is announced any more: what follows is not the same flood.
  mutating func ended() { self = FloodGate() }
}
