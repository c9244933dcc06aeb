public import HistoryModel

/// When timelines have to be refreshed, one notice after the other.
///
/// What comes while nobody asks waits at the server, grown together into one notice for each
/// timeline. It ends when its task is cancelled.
public struct WatchedReloads: AsyncSequence, Sendable {
  /// What a timeline has to catch up with.
  public typealias Element = ReloadNotice
  /// A server that refuses, or cannot be understood.
  public typealias Failure = HistoryError

  let source: SubscriptionSource
  let content: ReloadContent

  /// Begins at the positions that the sequence begins at.
  ///
  /// - Returns: A reader with positions of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: source.reader(content)) }

  /// A reader with positions of its own.
  public struct Iterator: AsyncIteratorProtocol {
    let reader: SubscriptionReader<ReloadContent>

    /// Returns the next notice, and waits for it and for a server if need be.
    ///
    /// - Parameter actor: Where the caller runs.
    /// - Returns: The notice; nil once the task was cancelled.
    /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` when the server knows no such
    ///   timeline.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(HistoryError) -> ReloadNotice? {
      try await reader.next()
    }

    /// Returns the next notice, and waits for it and for a server if need be.
    ///
    /// - Returns: The notice; nil once the task was cancelled.
    /// - Throws: ``/HistoryModel/HistoryError`` when no more can come.
    public mutating func next() async throws -> ReloadNotice? {
      try await next(isolation: nil)
    }
  }
}
