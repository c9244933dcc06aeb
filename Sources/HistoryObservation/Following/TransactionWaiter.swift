import HistoryModel

/// Somebody who has read everything and waits for the next transactions.
struct TransactionWaiter {
  /// What he is woken with.
  enum Answer: Sendable {
    /// These came.
    case transactions([HistoryTransaction], until: HistoryToken)
    /// More than is kept for those who wait; he is to read by himself from here.
    case readOn(HistoryToken)
    /// The wait was cancelled, or the store was let go.
    case end
    /// His position cannot be used any more, or reading failed.
    case failed(HistoryError)
  }

  /// How far he has read, or what came since did not match.
  private(set) var position: HistoryToken
  let filter: ChangeFilter
  let continuation: CheckedContinuation<Answer, Never>

  init(
    _ filter: ChangeFilter, at position: HistoryToken,
    _ continuation: CheckedContinuation<Answer, Never>
  ) {
    self.position = position
    self.filter = filter
    self.continuation = continuation
  }

  /// Takes in a batch.
  ///
  /// - Returns: What to wake him with; nil when it holds nothing for him.
  mutating func take(_ batch: HistoryBatch) -> Answer? {
    guard position != batch.until else { return nil }
    // Whoever was further on than the others may stand inside a run of untagged changes, or after rows that
    // a restore has undone: their numbers are given again, so only equal positions are the same.
    guard position == batch.since, let all = batch.transactions else { return .readOn(position) }
    let wanted = all.compactMap { $0.filtered(filter) }
    if wanted.isEmpty {
      position = batch.until
      return nil
    }
    return .transactions(wanted, until: batch.until)
  }
}
