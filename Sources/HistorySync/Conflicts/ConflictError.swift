public import HistoryModel

/// Rows were changed on both sides and nobody decided, so nothing of the transaction was applied.
public struct ConflictError: Error, Sendable {
  /// The rows.
  public let conflicts: [SyncConflict]
  /// The same in a sentence.
  public let error: HistoryError
}
