import EventLoop
public import HistoryModel
public import HistoryStore

/// Something that somebody wants to have done once, however often he asks: a tap that is delivered
/// twice, a message that comes again, a button on an old picture of the store.
///
/// ```swift
/// let complete = IdempotentWrite(
///   author: "widget", isDone: WriteCheck("SELECT done FROM tasks WHERE id = ?", 7),
///   isCurrent: WriteCheck("SELECT version = ? FROM tasks WHERE id = ?", 3, 7)
/// ) { transaction in
///   try transaction.run("UPDATE tasks SET done = 1, version = version + 1 WHERE id = ?", 7)
/// }
/// let outcome = try await complete.perform(on: writer)
/// ```
///
/// Both checks and the change are of one write transaction, so nobody comes between them. What was
/// committed counts, whatever becomes of snapshots and reloads afterwards.
public struct IdempotentWrite: Sendable {
  /// What came of it.
  public enum Outcome: Sendable, Hashable {
    /// It was done now; the position is right after it.
    case committed(HistoryToken)
    /// It had been done before, and nothing was changed; the position is the head.
    case alreadyDone(HistoryToken)
    /// It does not apply any more, and nothing was changed; the position is the head.
    case stale(HistoryToken)

    /// A position that covers what the outcome speaks of.
    public var token: HistoryToken {
      switch self {
      case .committed(let token), .alreadyDone(let token), .stale(let token): token
      }
    }
  }

  /// Who writes.
  public let author: String
  /// What to say about the transaction.
  public let context: String?
  /// Whether it has been done.
  public let isDone: WriteCheck
  /// Whether it still applies; nil when it always does.
  public let isCurrent: WriteCheck?
  private let body: @Sendable (WriteTransaction) throws -> Void

  /// Describes a write.
  ///
  /// - Parameters:
  ///   - author: Who writes: not empty.
  ///   - context: What to say about the transaction.
  ///   - isDone: Whether it has been done. It must be so after `body`, or else doing it twice would
  ///     change something twice.
  ///   - isCurrent: Whether it still applies, asked only where it has not been done; nil when it
  ///     always does.
  ///   - body: Does it.
  public init(
    author: String, context: String? = nil, isDone: WriteCheck, isCurrent: WriteCheck? = nil,
    body: @escaping @Sendable (WriteTransaction) throws -> Void
  ) {
    self.author = author
    self.context = context
    self.isDone = isDone
    self.isCurrent = isCurrent
    self.body = body
  }

  /// Does it, unless it has been done or does not apply any more.
  ///
  /// - Parameter writer: The store's writer.
  /// - Returns: What came of it.
  /// - Throws: What ``/HistoryStore/StoreWriter/write(author:context:_:)`` throws, and
  ///   ``/HistoryModel/HistoryError`` with code `usage` when the check says that it is not done
  ///   after it was done. Nothing was changed then.
  public func perform(on writer: StoreWriter) async throws -> Outcome {
    try await perform { author, context, body in
      try await writer.write(author: author, context: context, body)
    }
  }

  /// Does it through somebody else who writes transactions, such as an `ObservedStore`.
  ///
  /// - Parameter write: Runs a body as one transaction under an author and returns the position
  ///   after it, or rolls it back when the body throws.
  /// - Returns: What came of it.
  /// - Throws: What `write` throws, and as ``perform(on:)`` does.
  public func perform(
    by write: (
      _ author: String, _ context: String?,
      _ body: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> HistoryToken
  ) async throws -> Outcome {
    let verdict = Guarded(Verdict.committed)
    let token = try await write(author, context) { transaction in
      let found = try apply(to: transaction)
      verdict.withLock { $0 = found }
    }
    return switch verdict.withLock({ $0 }) {
    case .committed: .committed(token)
    case .alreadyDone: .alreadyDone(token)
    case .stale: .stale(token)
    }
  }

  private enum Verdict { case committed, alreadyDone, stale }

  private func apply(to transaction: WriteTransaction) throws -> Verdict {
    if try isDone.holds(in: transaction) { return .alreadyDone }
    if let isCurrent, try !isCurrent.holds(in: transaction) { return .stale }
    try body(transaction)
    guard try isDone.holds(in: transaction) else { throw HistoryError.notDoneAfterwards }
    return .committed
  }
}

/// A question to a store, answered in the transaction that depends on it.
public struct WriteCheck: Sendable, Hashable {
  /// One statement that reads.
  public let sql: String
  /// The values of its parameters, in order.
  public let arguments: [StoredValue]

  /// Asks a question.
  ///
  /// - Parameters:
  ///   - sql: One statement that reads. The answer is yes when the first value of its first row is
  ///     a number other than zero, and no when it is anything else or there is no row.
  ///   - arguments: The values of its parameters, in order.
  public init(_ sql: String, _ arguments: any ColumnValue...) {
    self.sql = sql
    self.arguments = arguments.map(\.storedValue)
  }

  func holds(in transaction: WriteTransaction) throws(HistoryError) -> Bool {
    switch try transaction.rows(sql, arguments: arguments).first?.first {
    case .integer(let number): number != 0
    case .real(let number): number != 0
    default: false
    }
  }
}

extension HistoryError {
  fileprivate static var notDoneAfterwards: HistoryError {
    HistoryError(
      .usage, "what was to be done once is not done after it was done",
      hint: "let isDone ask for what the body changes; nothing was changed")
  }
}
