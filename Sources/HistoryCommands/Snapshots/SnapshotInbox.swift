import HistoryModel
import HistoryObservation

/// Hears that the rows of a query have changed, on the loop; which they are is read later.
final class SnapshotInbox: ResultsReceiver {
  private let onChange: @Sendable () -> Void
  private let onFailure: @Sendable (HistoryError, _ isFinal: Bool) -> Void

  init(
    onChange: @escaping @Sendable () -> Void,
    onFailure: @escaping @Sendable (HistoryError, _ isFinal: Bool) -> Void
  ) {
    self.onChange = onChange
    self.onFailure = onFailure
  }

  func received(_ update: ResultsUpdate) -> Bool {
    onChange()
    return true
  }

  func unchanged(at token: HistoryToken) {}

  func failed(_ error: HistoryError, isFinal: Bool) { onFailure(error, isFinal) }
}
