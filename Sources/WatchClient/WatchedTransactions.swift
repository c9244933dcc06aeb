public import HistoryModel

/// Whole transactions of a store that a server watches, one after the other.
///
/// Nothing queues up: while nobody asks for the next one nothing is read, and the server is slowed
/// down to that. One who takes longer than the server's patience is connected again and goes on.
/// Each iteration has a connection of its own and begins at the same position. It ends when its
/// task is cancelled.
public struct WatchedTransactions: AsyncSequence, Sendable {
  /// A transaction with those of its changes that match.
  public typealias Element = HistoryTransaction
  /// An expired position, or a server that refuses or cannot be understood.
  public typealias Failure = HistoryError

  let source: SubscriptionSource
  let content: TransactionContent

  /// Begins to read at the position that the sequence begins at.
  ///
  /// - Returns: A reader with a position of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: source.reader(content)) }

  /// A reader with a position of its own.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: SubscriptionReader<TransactionContent>

    /// Returns the next transaction, and waits for it and for a server if need be.
    ///
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The transaction; nil once the task was cancelled.
    /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired` when what follows
    ///   the position is no longer there; it names the oldest position that is left.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(HistoryError) -> HistoryTransaction? {
      try await reader.next()
    }

    /// Returns the next transaction, and waits for it and for a server if need be.
    ///
    /// - Returns: The transaction; nil once the task was cancelled.
    /// - Throws: ``/HistoryModel/HistoryError`` when what follows can no longer be read.
    public mutating func next() async throws -> HistoryTransaction? {
      try await next(isolation: nil)
    }
  }
}
