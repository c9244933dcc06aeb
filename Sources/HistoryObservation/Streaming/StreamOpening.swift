package import HistoryModel
package import HistoryStore

/// Settles what a stream says first, and where it then reads: at its start, and after its position
/// has expired.
package enum StreamOpening {
  /// One thing to do, in order.
  package enum Step: Equatable, Sendable {
    /// Say how it begins.
    case hello(LineEncoder.Resume, HistoryToken)
    /// Say that a position cannot be used.
    case expired(String, ExpiryReason)
    /// Say hello and send the rows, and begin where they are so.
    case snapshot(LineEncoder.Resume)
    /// Read on from here.
    case start(HistoryToken)
    /// End.
    case end(ByeReason)
  }

  /// What a stream does first.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - isContinued: Whether a position was given to go on from.
  ///   - position: What became of where it is to begin.
  ///   - until: What became of where it is to end.
  ///   - state: Both ends of the history.
  /// - Returns: The steps.
  package static func steps(
    _ request: StreamRequest, isContinued: Bool, at position: ResolvedPosition,
    until: ResolvedPosition?, _ state: StoreState
  ) -> [Step] {
    if case .expired(let until, let reason)? = until, reason != .trimmed {
      // There will never be a place to end at, so there is none to begin. Whoever keeps what the hello
      // says keeps what he had.
      let start =
        switch position {
        case .usable(let token), .expired(let token, _): token
        }
      return [
        .hello(isContinued ? .continue : .new, start), .expired(until.description, reason),
        .end(.expired),
      ]
    }
    switch position {
    case .usable(let token):
      switch request.snapshot {
      case .only: return [.snapshot(.snapshot), .end(.end)]
      case .initial where !isContinued: return [.snapshot(.snapshot)]
      default: return [.hello(isContinued ? .continue : .new, token), .start(token)]
      }
    case .expired(let token, let reason):
      // A stream begins with hello, whatever follows; the hello after expired says reset.
      let isGoingOn = request.onExpired != .fail
      return [.hello(isGoingOn ? .reset : .continue, isGoingOn ? state.oldest : token)]
        + steps(request, afterExpiryOf: token.description, reason, state)
    }
  }

  /// What a stream does when a position of its cannot be used any more.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - position: The position.
  ///   - reason: Why it cannot be used.
  ///   - state: Both ends of the history; nil where there is none any more.
  /// - Returns: The steps.
  package static func steps(
    _ request: StreamRequest, afterExpiryOf position: String, _ reason: ExpiryReason,
    _ state: StoreState?
  ) -> [Step] {
    let expired = Step.expired(position, reason)
    guard let state else { return [expired, .end(.expired)] }
    switch request.onExpired {
    case .fail: return [expired, .end(.expired)]
    case .snapshot: return [expired, .snapshot(.reset)]
    case .oldest: return [expired, .hello(.reset, state.oldest), .start(state.oldest)]
    }
  }
}
