import HistoryModel
import HistoryObservation

/// Where the rows of a query, and whatever ends the command, wait for it.
///
/// However slow the output is, only the newest rows wait.
final class ResultsInbox: ResultsReceiver {
  /// What has come.
  struct Contents: Sendable {
    /// The newest rows.
    var update: ResultsUpdate?
    /// Why the query could not be run.
    var error: HistoryError?
    /// Why there is nothing more to wait for, and how the process ends.
    var ending: (reason: ByeReason, code: ExitCode)?

    /// Takes in what came later.
    mutating func merge(_ later: Contents) {
      if let update = later.update { self = Contents(update: update, ending: ending) }
      if let error = later.error { self.error = error }
      // The first reason counts.
      ending = ending ?? later.ending
    }
  }

  private let mailbox = Mailbox<Contents> { $0.merge($1) }

  /// Waits for what is new.
  ///
  /// - Returns: All that came since this was last asked.
  func take() async -> Contents { await mailbox.take() ?? Contents() }

  /// Ends the wait for more.
  ///
  /// - Parameters:
  ///   - reason: What the last line says.
  ///   - code: What the process exits with.
  func end(_ reason: ByeReason, _ code: ExitCode) {
    mailbox.put(Contents(ending: (reason, code)))
  }

  func received(_ update: ResultsUpdate) -> Bool {
    mailbox.put(Contents(update: update))
    return true
  }

  func unchanged(at token: HistoryToken) {}

  func failed(_ error: HistoryError, isFinal: Bool) {
    let isExpired = error.code == .historyTokenExpired
    mailbox.put(
      Contents(
        error: error,
        ending: isFinal ? (isExpired ? .expired : .error, ExitCode(error.code)) : nil))
  }
}
