/// Decides when a connection that keeps failing is tried again.
///
/// It knows no socket and no clock.
///
/// Pauses double from a tenth of a second to ten seconds, each cut short at random so that clients
/// of one server do not come back all at once. They begin anew once a connection was of use: one
/// that only stood would let a server that dies of a request be asked without end.
package struct ConnectionStateMachine: Sendable, Hashable {
  private enum State: Hashable {
    /// There is none, and so many attempts failed.
    case without(failures: Int)
    /// The pause before the next attempt is being made.
    case pausing(failures: Int)
    /// It is being made.
    case connecting(failures: Int)
    /// It stands, and was of no use yet.
    case standing(failures: Int)
    /// It stands and was of use.
    case useful
    /// None is wanted any more.
    case ended
  }

  /// What to do.
  package enum Action: Equatable, Sendable {
    /// Connect.
    case connect
    /// Wait for so long, and ask again.
    case pause(Duration)
    /// Nothing more.
    case stop
  }

  /// The shortest pause.
  package static let shortest = Duration.milliseconds(100)
  /// The longest pause.
  package static let longest = Duration.seconds(10)

  private var state = State.without(failures: 0)

  package init() {}

  /// A connection is wanted: for the first time, after one failed, or after a pause.
  ///
  /// - Parameter generator: What decides by how much a pause is cut short.
  /// - Returns: What to do for it.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Action {
    switch state {
    case .without(let failures) where failures > 0:
      state = .pausing(failures: failures)
      return .pause(Self.pause(after: failures, using: &generator))
    case .without(let failures), .pausing(let failures):
      state = .connecting(failures: failures)
      return .connect
    case .connecting, .standing, .useful:
      preconditionFailure("A connection is there or being made.")
    case .ended: return .stop
    }
  }

  /// The connection stands.
  package mutating func connected() {
    if case .connecting(let failures) = state { state = .standing(failures: failures) }
  }

  /// The connection brought what it was made for.
  package mutating func wasOfUse() {
    if case .standing = state { state = .useful }
  }

  /// The connection was not to be had, or was lost.
  package mutating func failed() {
    switch state {
    case .without(let failures), .pausing(let failures), .connecting(let failures),
      .standing(let failures):
      state = .without(failures: failures + 1)
    case .useful: state = .without(failures: 1)
    case .ended: break
    }
  }

  /// None is wanted any more.
  package mutating func end() { state = .ended }

  private static func pause(
    after failures: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let longest = min(Self.shortest * (1 << min(failures - 1, 16)), Self.longest)
    let shortest = max(longest / 2, Self.shortest)
    return longest - (longest - shortest) * (Double(generator.next() >> 11) / Double(1 << 53))
  }
}
