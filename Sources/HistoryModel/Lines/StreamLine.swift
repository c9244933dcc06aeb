/// One line of a stream, read back into what it says.
///
/// It is made by a ``LineDecoder``.
public enum StreamLine: Hashable, Sendable {
  /// A stream begins.
  case hello(Hello)
  /// A row's change; it counts only once the commit of its transaction has come.
  case change(Change)
  /// A transaction ends, of which so many changes were shown.
  case commit(TransactionRecord, changes: Int, token: HistoryToken)
  /// A whole transaction.
  case transaction(HistoryTransaction)
  /// Everything up to the position was shown, or did not match.
  case bookmark(HistoryToken)
  /// The rows of these tables as they are at the position follow.
  case snapshotBegin(HistoryToken, tables: [TableDefinition])
  /// One of these rows.
  case row(Row)
  /// The rows of the store have been shown.
  case snapshotEnd(HistoryToken)
  /// A table's shape changed, or changes may be missing; with a position where it is kept in the
  /// history.
  case notice(CaptureNotice, token: HistoryToken?)
  /// A position cannot be used.
  case expired(Expiry)
  /// The stream ends.
  case bye(Bye)
  /// A kind that is not known here, and that a reader passes over.
  case unknown(kind: String)
}

extension StreamLine {
  /// How a stream begins.
  public struct Hello: Hashable, Sendable {
    /// The store that it is a stream of.
    public let store: StoreIdentifier
    /// The store's epoch.
    public let epoch: UInt32
    /// What the stream does with the position it was given.
    public let resume: LineEncoder.Resume
    /// The position it begins at.
    public let token: HistoryToken
    /// The smallest position that can be read from.
    public let oldest: HistoryToken
    /// The position after the newest transaction.
    public let head: HistoryToken
  }

  /// A change, and the transaction that it belongs to.
  public struct Change: Hashable, Sendable {
    /// The transaction's number.
    public let transaction: Int64
    /// The transaction's author; nil when it is untagged.
    public let author: String?
    /// The change.
    public let change: HistoryChange
  }

  /// A row of a snapshot.
  public struct Row: Hashable, Sendable {
    /// The table that it is in.
    public let table: String
    /// Its primary key, or the rowid of a table without one.
    public let key: StoredRow
    /// Its columns.
    public let values: StoredRow
  }

  /// A position that cannot be used, and what can.
  public struct Expiry: Hashable, Sendable {
    /// The position, as it was given.
    public let requested: String
    /// The smallest position that can be read from; nil where the history is gone.
    public let oldest: HistoryToken?
    /// The position after the newest transaction; nil where the history is gone.
    public let head: HistoryToken?
    /// Why.
    public let reason: ExpiryReason
  }

  /// The end of a stream.
  public struct Bye: Hashable, Sendable {
    /// Why it ends.
    public let reason: ByeReason
    /// What went wrong, for an error.
    public let message: String?
    /// The position it got to, if it got anywhere.
    public let token: HistoryToken?

    package init(reason: ByeReason, message: String?, token: HistoryToken?) {
      self.reason = reason
      self.message = message
      self.token = token
    }
  }
}
