package import HistoryModel

/// Why a carrier did not do what it was asked for.
package enum RelayFailure: Error {
  /// Another message is the last one: nothing was appended.
  case refused
  /// It is not known whether it was done, or the carrier is gone: connect again and look.
  case lost(HistoryError)
  /// It will not be done, however often it is tried.
  case failed(HistoryError)
}

/// What keeps the messages of one store, in order, for others to read.
///
/// That is all that a relay needs. Everything it promises rests on ``append(_:expecting:)``: a
/// message is stored only directly after the one that its relay has seen.
package protocol RelayCarrier: AnyObject {
  /// How many bytes the body of a message may have.
  var bodyLimit: Int { get }
  /// Why it is gone; nil as long as it is there, as far as is known.
  var loss: HistoryError? { get }

  /// The last message that is stored, whose body need not be there; nil when there is none.
  nonisolated(nonsending) func lastStored() async throws(RelayFailure) -> StoredMessage?

  /// Appends a message, if the last one is still the same.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - sequence: The sequence of the last one; 0 when there is none.
  /// - Returns: Its sequence, as soon as the carrier has confirmed it.
  /// - Throws: ``RelayFailure``; `refused` when another message is the last one.
  nonisolated(nonsending) func append(
    _ message: RelayMessage, expecting sequence: UInt64
  ) async throws(RelayFailure) -> UInt64

  /// The oldest message that is still stored, whose body need not be there; nil when there is none.
  nonisolated(nonsending) func oldest() async throws(RelayFailure) -> StoredMessage?

  /// Lets go of the carrier. Whoever waits for it is told that it is lost.
  func close()
}

/// What the messages of one store are read from.
package protocol RelaySource: AnyObject {
  /// The last message that is stored, whose body need not be there; nil when there is none.
  nonisolated(nonsending) func lastStored() async throws(RelayFailure) -> StoredMessage?

  /// The first message at or after a sequence, whose body need not be there.
  nonisolated(nonsending) func message(
    from sequence: UInt64
  ) async throws(RelayFailure) -> StoredMessage?

  /// Begins to read after a sequence.
  nonisolated(nonsending) func begin(after sequence: UInt64) async throws(RelayFailure)

  /// The next message, with its body.
  ///
  /// - Returns: nil when none came in a while, so that whoever waits can look around.
  nonisolated(nonsending) func next() async throws(RelayFailure) -> StoredMessage?

  /// Lets go of the source. Whoever waits for it is told that it is lost.
  func close()
}
