/// What a range of history holds, without the changes themselves.
///
/// It stays small however long the range becomes, so that something that waits can let it grow.
public struct HistorySummary: Sendable, Hashable {
  /// How many authors are named at most; a range may have any number.
  public static let authorLimit = 256
  /// How many tables are named at most; a range may have any number.
  public static let tableLimit = 1024

  /// The position before the first transaction.
  public var since: HistoryToken
  /// The position after the last one.
  public var until: HistoryToken
  /// How many transactions matched.
  public private(set) var transactions = 0
  /// How many of their changes matched.
  public private(set) var changes = 0
  private var namedTables = NameList<String>(limit: tableLimit)
  private var namedAuthors = NameList<String?>(limit: authorLimit)

  /// Makes a summary of an empty range.
  ///
  /// - Parameters:
  ///   - since: The position at which it begins.
  ///   - until: The position at which it ends; nil for where it begins.
  public init(since: HistoryToken, until: HistoryToken? = nil) {
    self.since = since
    self.until = until ?? since
  }

  /// The tables with changes that matched or with notices, each once, the first to change first.
  ///
  /// Not more than ``tableLimit``.
  public var tables: [String] { namedTables.names }

  /// The authors of the transactions, each once, in order; nil stands for untagged ones.
  ///
  /// Not more than ``authorLimit``.
  public var authors: [String?] { namedAuthors.names }

  /// Whether nothing in the range matched.
  public var isEmpty: Bool { transactions == 0 && namedTables.names.isEmpty }

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
    for table in tables { namedTables.add(table) }
    namedAuthors.add(author)
    until = token
  }

  /// Takes in a notice about a table's capture.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - token: The position after it; nil when it has none of its own.
  public mutating func add(noticeOf table: String, until token: HistoryToken?) {
    namedTables.add(table)
    if let token { until = token }
  }

  /// Takes in the range that follows.
  ///
  /// - Parameter next: What it holds.
  public mutating func merge(_ next: HistorySummary) {
    transactions += next.transactions
    changes += next.changes
    for table in next.tables { namedTables.add(table) }
    for author in next.authors { namedAuthors.add(author) }
    until = next.until
  }
}
