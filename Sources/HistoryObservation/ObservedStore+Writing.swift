public import HistoryModel
public import HistoryStore

extension ObservedStore {
  /// Runs a body as one tagged transaction.
  ///
  /// When it returns, everybody who observes the store in this process has been told.
  ///
  /// - Parameters:
  ///   - author: Who writes: not empty. Observers can leave their own changes out by it.
  ///   - context: What to say about the transaction.
  ///   - body: What to do. When it throws, everything is rolled back.
  /// - Returns: The position right after the transaction; the head when it changed nothing.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` for the body's SQL,
  ///   `temporary` when the store was locked for too long or the disk is full, `storeUnavailable`
  ///   when it may not be written, and whatever else the body throws.
  @discardableResult
  public func write(
    author: String, context: String? = nil, _ body: @Sendable (WriteTransaction) throws -> Void
  ) async throws -> HistoryToken {
    let token = try await writers.writer().write(author: author, context: context, body)
    // The commit counts whatever becomes of telling it, and can be seen by now.
    try? await hub.tellEverything()
    return token
  }

  /// Drops the oldest part of the history.
  ///
  /// It plays the part of SwiftData's `deleteHistory(_:)`; history can only be deleted from its
  /// oldest end, so that nobody reads on over a hole without being told. The rows go in steps too
  /// short for a writer to feel.
  ///
  /// - Parameters:
  ///   - token: Up to where. What a consumer has not read yet stays.
  ///   - isForced: Whether to drop also what consumers have not read yet.
  /// - Returns: What was dropped.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired` or `foreignToken`, and
  ///   `CancellationError`; what was dropped by then stays dropped.
  /// - Complexity: O(*n*) for *n* rows of history that are dropped.
  @discardableResult
  public func deleteHistory(
    through token: HistoryToken, evenUnread isForced: Bool = false
  ) async throws -> HistoryTrimmer.Outcome {
    try await writers.writer().deleteHistory(through: token, evenUnread: isForced)
  }
}

/// The one writer of a store in this process, made when it is first needed.
actor WriterKeeper {
  private let path: String
  private let retention: RetentionLimits?
  private var made: StoreWriter?

  init(path: String, retention: RetentionLimits?) {
    self.path = path
    self.retention = retention
  }

  func writer() throws(HistoryError) -> StoreWriter {
    // Another file may have been moved over the path.
    if let made, made.isCurrent { return made }
    let writer = try StoreWriter(path: path, retention: retention)
    made = writer
    return writer
  }
}
