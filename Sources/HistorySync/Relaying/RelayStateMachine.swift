import HistoryModel

/// Decides what a relay does next.
///
/// It knows no carrier, no store and no clock. It keeps nothing but what the carrier said last: after any doubt it asks the carrier for the last
/// message, and goes on after that. A message that was on its way is forgotten, and read again.
package struct RelayStateMachine {
  private enum State {
    /// There is no connection.
    case apart
    /// There is one, and the last message is not known.
    case connected
    /// The last message is known, and there may be something to read after it.
    case reading(last: UInt64)
    /// A message is to go out after the last one.
    case sending(RelayMessage, last: UInt64)
    /// Everything was confirmed.
    case resting(last: UInt64)
  }

  /// What to do.
  package enum Action: Equatable {
    /// Connect to the carrier.
    case connect
    /// Ask it for the last message.
    case anchor
    /// Read the store, up to a message.
    case read
    /// Append a message after the one with that sequence.
    case append(RelayMessage, expecting: UInt64)
    /// Wait until there is more to read.
    case wait
  }

  private var state = State.apart

  package init() {}

  /// What to do next.
  package var action: Action {
    switch state {
    case .apart: .connect
    case .connected: .anchor
    case .reading: .read
    case .sending(let message, let last): .append(message, expecting: last)
    case .resting: .wait
    }
  }

  /// A connection stands.
  package mutating func connected() { state = .connected }

  /// The last message is known.
  ///
  /// - Parameter last: Its sequence; 0 when there is none.
  package mutating func anchored(at last: UInt64) {
    if case .connected = state { state = .reading(last: last) }
  }

  /// A message was read.
  package mutating func read(_ message: RelayMessage) {
    if case .reading(let last) = state { state = .sending(message, last: last) }
  }

  /// There is nothing more to read.
  package mutating func cameToHead() {
    if case .reading(let last) = state { state = .resting(last: last) }
  }

  /// There may be more to read.
  package mutating func woke() {
    if case .resting(let last) = state { state = .reading(last: last) }
  }

  /// The message was stored.
  ///
  /// - Parameter sequence: Its sequence.
  package mutating func stored(at sequence: UInt64) {
    if case .sending = state { state = .reading(last: sequence) }
  }

  /// Another message is the last one.
  package mutating func refused() {
    if case .sending = state { state = .connected }
  }

  /// The connection is lost, or an answer did not come.
  package mutating func lost() { state = .apart }
}
