public import HistoryModel

/// One piece of what a reader reads, in order.
public enum HistoryItem: Sendable {
  /// A change that matches, with its place in the whole transaction.
  case change(RecordedChange, index: Int, TransactionRecord)
  /// The end of a transaction with changes that match, how many did, and the position after it.
  case commit(TransactionRecord, changes: Int, HistoryToken)
  /// Something that happened to a table's capture, and the position after it.
  case notice(CaptureNotice, HistoryToken)
}

/// What a reader should do after an item.
public enum ReadingStep: Sendable {
  /// Read on.
  case goOn
  /// Enough for now; a later call goes on right after the item.
  case pause
}

/// Where a reader stands after a call.
public enum ReadingState: Sendable, Equatable {
  /// There is more to read.
  case more
  /// It has come to the head, between two transactions.
  case atHead
  /// It has come to the position where it was told to end.
  case atEnd
  /// Its position can no longer be used.
  case expired(ExpiryReason)
}
