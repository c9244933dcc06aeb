public import HistoryModel
public import HistoryStore

/// A transaction as a reader was given it.
public struct TransactionCopy: Sendable, Hashable {
  /// What is known of it.
  public let record: TransactionRecord
  /// The changes that were shown.
  public let changes: [ChangeRecord]
  /// The position after it.
  public let token: HistoryToken

  /// Its changes, a short line each.
  public var lines: [String] { changes.map(\.description) }
}

/// One thing that a reader was given whole.
public enum RecordedEvent: Sendable, Hashable {
  /// A transaction.
  case transaction(TransactionCopy)
  /// A notice and the position after it.
  case notice(CaptureNotice, HistoryToken)

  /// The transaction, if it is one.
  public var transaction: TransactionCopy? {
    if case .transaction(let copy) = self { copy } else { nil }
  }

  /// The notice, if it is one.
  public var notice: CaptureNotice? {
    if case .notice(let notice, _) = self { notice } else { nil }
  }

  /// The position after it.
  public var token: HistoryToken {
    switch self {
    case .transaction(let copy): copy.token
    case .notice(_, let token): token
    }
  }
}

/// A reader that writes down everything it is given.
public final class HistoryRecorder {
  /// A reader that gave what no reader may give.
  public struct Failure: Error, CustomStringConvertible {
    /// What it did.
    public let description: String

    /// Makes a failure.
    ///
    /// - Parameter description: What it did.
    public init(description: String) { self.description = description }
  }

  /// Everything so far.
  public private(set) var events: [RecordedEvent] = []
  /// The reader.
  public let reader: HistoryReader

  private var pending: [ChangeRecord] = []
  private var pendingRecord: TransactionRecord?
  private var misdeed: String?

  /// Begins to record.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - token: The position to begin at.
  ///   - filter: Which changes are wanted.
  ///   - end: The position to stop at, if any.
  /// - Throws: What the reader throws.
  public init(
    _ store: TrackedStore, after token: HistoryToken, filter: ChangeFilter = ChangeFilter(),
    until end: HistoryToken? = nil
  ) throws {
    reader = try HistoryReader(store, after: token, filter: filter, until: end)
  }

  /// The transactions so far.
  public var transactions: [TransactionCopy] { events.compactMap(\.transaction) }
  /// The notices so far.
  public var notices: [CaptureNotice] { events.compactMap(\.notice) }
  /// The changes so far, a short line each, whatever transaction they belong to.
  public var lines: [String] { transactions.flatMap(\.lines) }

  /// Reads until there is nothing more.
  ///
  /// - Parameter length: After how many items each page pauses.
  /// - Returns: Where the reader stands.
  /// - Throws: What the reader throws, and ``Failure`` when a transaction was torn.
  @discardableResult
  public func read(pagesOf length: Int = 1000) throws -> ReadingState {
    var state = ReadingState.more
    var emptyPages = 0
    while state == .more {
      var count = 0
      state = try reader.read { item in
        take(item)
        count += 1
        return count >= length ? .pause : .goOn
      }
      // A page without an item may be one of those that look for a tag's end, which are few.
      emptyPages = count == 0 ? emptyPages + 1 : 0
      if emptyPages > 10_000 { throw Failure(description: "the reader never comes to its end") }
    }
    if let misdeed { throw Failure(description: misdeed) }
    if state == .atHead || state == .atEnd, !pending.isEmpty {
      throw Failure(description: "\(pending.count) changes without a commit")
    }
    return state
  }

  private func take(_ item: HistoryItem) {
    switch item {
    case .change(let change, let index, let record):
      if let pendingRecord, pendingRecord.number != record.number {
        misdeed = "a change of transaction \(record.number) inside \(pendingRecord.number)"
      }
      pendingRecord = record
      pending.append(ChangeRecord(change, in: reader.values, index: index))
    case .commit(let record, let count, let token):
      if count != pending.count {
        misdeed = "a commit of \(count) changes after \(pending.count)"
      }
      events.append(
        .transaction(TransactionCopy(record: record, changes: pending, token: token)))
      pending = []
      pendingRecord = nil
    case .notice(let notice, let token):
      if !pending.isEmpty { misdeed = "a notice inside a transaction" }
      events.append(.notice(notice, token))
    }
  }
}
