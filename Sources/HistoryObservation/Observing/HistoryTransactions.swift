public import HistoryModel

/// Whole transactions of a store, as they are committed, one after the other.
///
/// Nothing queues up: a reader who takes his time costs a position and at most one page that others
/// may share, and goes on from there. Each iteration begins at the same position. It ends when its
/// task is cancelled.
///
/// ```swift
/// for try await transaction in observer.transactions {
///   for change in transaction.changes where change.operation == .delete { … }
/// }
/// ```
public struct HistoryTransactions: AsyncSequence, Sendable {
  /// A transaction with those of its changes that match.
  public typealias Element = HistoryTransaction
  /// An expired position, or a store that cannot be read.
  public typealias Failure = HistoryError

  private let store: ObservedStore
  private let start: HistoryToken
  private let filter: ChangeFilter

  init(_ store: ObservedStore, after start: HistoryToken, filter: ChangeFilter) {
    self.store = store
    self.start = start
    self.filter = filter
  }

  /// Begins to read at the position that the sequence begins at.
  ///
  /// - Returns: A reader with a position of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(store: store, position: start, filter: filter)
  }

  /// A reader with a position of its own.
  public struct Iterator: AsyncIteratorProtocol {
    let store: ObservedStore
    /// How far was read from the store.
    var position: HistoryToken
    /// Whether anything was.
    var hasRead = false
    let filter: ChangeFilter
    /// What was read and not given yet.
    var page: ArraySlice<HistoryTransaction> = []

    /// Returns the next transaction, and waits for it if need be.
    ///
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The transaction; nil once the task was cancelled.
    /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired` when what follows
    ///   the position is no longer there; it names the oldest position that is left.
    /// - Complexity: O(log *h* + *n*) for *n* rows read out of *h* kept.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(HistoryError) -> HistoryTransaction? {
      if let next = page.popFirst() { return next }
      guard
        let read = try await store.hub.transactions(
          after: position, isContinued: hasRead, filter: filter)
      else { return nil }
      hasRead = true
      position = read.token
      page = read.transactions[...]
      return page.popFirst()
    }

    /// Returns the next transaction, and waits for it if need be.
    ///
    /// - Returns: The transaction; nil once the task was cancelled.
    /// - Throws: ``/HistoryModel/HistoryError`` when what follows can no longer be read.
    public mutating func next() async throws -> HistoryTransaction? {
      try await next(isolation: nil)
    }
  }
}

extension ObservedStore {
  /// The transactions that follow a position, as they are committed.
  ///
  /// - Parameters:
  ///   - token: The position.
  ///   - filter: Which changes are wanted.
  /// - Returns: A sequence that never ends by itself. Whether it can begin there shows with the
  ///   first transaction that is asked for.
  public func transactions(
    after token: HistoryToken, filter: ChangeFilter = ChangeFilter()
  ) -> HistoryTransactions {
    HistoryTransactions(self, after: token, filter: filter)
  }
}
