import HistoryModel

/// The sentences of a relay and of who reads from it.
extension HistoryError {
  static func relayRestored() -> HistoryError { relayExpired(.storeRestored) }

  static func relayExpired(_ reason: ExpiryReason) -> HistoryError {
    let error = HistoryError.historyTokenExpired(oldest: nil, reason: reason)
    return HistoryError(
      .historyTokenExpired,
      "the store cannot go on after the last message that was relayed: \(error.message)",
      hint: "begin anew with the rows: relay --resync; who follows then needs apply --resync once")
  }

  static func relayUnreadable() -> HistoryError {
    HistoryError(
      .tablesDiffer, "the last message of the stream's subject was not written by a relay",
      hint: "give the relay a subject of its own with --subject-prefix")
  }

  static func relayBegunAnew() -> HistoryError {
    HistoryError(
      .historyTokenExpired, "the relay has begun anew with a snapshot after what is held",
      hint: "compare with it: apply --resync")
  }

  static func relayTrimmed() -> HistoryError {
    HistoryError(
      .historyTokenExpired, "the carrier no longer has what follows the position that is held",
      hint: "let the relay begin anew with relay --resync, then: apply --resync")
  }

  static func relayHasNoRows() -> HistoryError {
    HistoryError(
      .usage, "the carrier has no snapshot to compare with",
      hint: "let the relay begin anew with a snapshot: relay --resync")
  }

  static func relaySpool(_ failure: String) -> HistoryError {
    HistoryError(
      .temporary, "the rows of the snapshot cannot be kept until they are out: \(failure)",
      hint: "make room where TMPDIR is")
  }
}
