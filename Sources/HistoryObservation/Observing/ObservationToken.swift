/// Keeps an observation going, for as long as it lives.
///
/// Keep it where what it serves lives. A token that is dropped at once observes nothing, and the
/// compiler warns of a call whose token is not used.
public final class ObservationToken: Sendable {
  private let onEnd: @Sendable () -> Void

  init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  deinit { onEnd() }

  /// Ends the observation; so does letting the token go.
  ///
  /// What is being told at the moment is told to its end.
  public func cancel() { onEnd() }
}
