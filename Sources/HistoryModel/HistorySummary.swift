/// What a range of history holds, without the changes themselves.
///
/// It stays small however long the range becomes, so that something that waits can let it grow.
public struct HistorySummary: Sendable, Hashable {
  /// How many authors are named at most; a range may have any number.
  public static let authorLimit = 256

  /// The position before the first transaction.
  public var since: HistoryToken
  /// The position after the last one.
  public var until: HistoryToken
  /// How many transactions matched.
  public private(set) var transactions = 0
  /// How many of their changes matched.
  public private(set) var changes = 0
  /// The tables with changes that matched or with notices, each once, the first to change first.
  public private(set) var tables: [String] = []
  /// The authors of the transactions, each once, in order; nil stands for untagged ones.
  ///
  /// Not more than ``authorLimit``.
  public private(set) var authors: [String?] = []

  /// Makes a summary of an empty range.
  ///
  /// - Parameters:
  ///   - since: The position at which it begins.
  ///   - until: The position at which it ends; nil for where it begins.
  public init(since: HistoryToken, until: HistoryToken? = nil) {
    self.since = since
    self.until = until ?? since
  }

  /// Whether nothing in the range matched.
  public var isEmpty: Bool { transactions == 0 && tables.isEmpty }

  /// Takes in a transaction that follows.
  ///
  /// - Parameters:
  ///   - author: Its author; nil if it is untagged.
  ///   - changes: How many of its changes matched.
  ///   - tables: The tables that they were in.
  ///   - token: The position after it.
  public mutating func add(
    author: String?, changes: Int, tables: some Sequence<String>, until token: HistoryToken
  ) {
    transactions += 1
    self.changes += changes
    for table in tables { add(table: table) }
    add(author: author)
    until = token
  }

  /// Takes in a notice about a table's capture.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - token: The position after it; nil when it has none of its own.
  public mutating func add(noticeOf table: String, until token: HistoryToken?) {
    add(table: table)
    if let token { until = token }
  }

  /// Takes in the range that follows.
  ///
  /// - Parameter next: What it holds.
  public mutating func merge(_ next: HistorySummary) {
    transactions += next.transactions
    changes += next.changes
    for table in next.tables { add(table: table) }
    for author in next.authors { add(author: author) }
    until = next.until
  }

  private mutating func add(table: String) {
    if !tables.contains(table) { tables.append(table) }
  }

  private mutating func add(author: String?) {
    if authors.count < Self.authorLimit, !authors.contains(author) { authors.append(author) }
  }
}
