/// What one COMMIT changed, as far as it matched what was asked for.
///
/// It plays the part of SwiftData's `HistoryTransaction`. Copies share their memory.
public struct HistoryTransaction: Sendable {
  /// The position right after the transaction: reading on from it gives what followed.
  public let token: HistoryToken
  /// The changes that matched, in the order in which they were made.
  public let changes: Changes
  package let record: TransactionRecord

  package init(_ record: TransactionRecord, changes: Changes, token: HistoryToken) {
    self.record = record
    self.changes = changes
    self.token = token
  }

  /// A number that grows from transaction to transaction, with gaps.
  public var number: Int64 { record.number }
  /// Who wrote it; nil when it is untagged.
  public var author: String? { record.author }
  /// What its writer said about it.
  public var context: String? { record.context }
  /// Whether its writer gave an author.
  ///
  /// One that is not tagged may be a part of what one COMMIT changed, or hold several: SQLite does
  /// not tell.
  public var isTagged: Bool { record.isTagged }
  /// When its writer's clock says that it was made; nil where no times are kept.
  public var timestamp: CalendarTime? { record.timestamp }
  /// The store that it was read from.
  public var storeIdentifier: StoreIdentifier { token.storeIdentifier }
  /// The store where it was first made, when it was brought here from another one.
  public var origin: StoreIdentifier? { record.origin }
  /// The sequence at which it ended in the history of ``origin``, where a token has it too.
  public var originSequence: Int64? { record.originSequence }
}

extension HistoryTransaction {
  /// The changes of a transaction.
  public struct Changes: RandomAccessCollection, Sendable {
    private let cells: StoredRow.Cells
    private let recorded: [(change: RecordedChange, index: Int)]

    package init(_ cells: StoredRow.Cells, _ recorded: [(change: RecordedChange, index: Int)]) {
      self.cells = cells
      self.recorded = recorded
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// How many changes there are.
    public var endIndex: Int { recorded.count }

    /// The change at a position.
    ///
    /// - Parameter position: From 0 to below `count`.
    public subscript(position: Int) -> HistoryChange {
      let (change, index) = recorded[position]
      return HistoryChange(change, in: cells, index: index)
    }
  }
}

extension HistoryTransaction {
  /// The transaction with those of its changes that a filter lets through.
  ///
  /// - Parameter filter: What is wanted.
  /// - Returns: The transaction; nil when nothing of it is wanted.
  /// - Complexity: O(*n*) for *n* changes.
  package func filtered(_ filter: ChangeFilter) -> HistoryTransaction? {
    guard filter.matches(record) else { return nil }
    guard let changes = changes.filtered(filter) else { return nil }
    return HistoryTransaction(record, changes: changes, token: token)
  }
}

extension HistoryTransaction {
  /// The transaction without its first changes, of which so many are left out.
  package func dropping(first count: Int) -> HistoryTransaction {
    HistoryTransaction(record, changes: changes.dropping(first: count), token: token)
  }
}

extension HistoryTransaction.Changes {
  fileprivate func dropping(first count: Int) -> Self {
    Self(cells, Array(recorded.dropFirst(count)))
  }

  fileprivate func filtered(_ filter: ChangeFilter) -> Self? {
    if filter.tables.isEmpty, filter.operations.isEmpty { return self }
    let kept = recorded.filter { item in
      filter.matches(table: item.change.shape.table)
        && filter.matches(operation: item.change.operation)
    }
    return kept.isEmpty ? nil : Self(cells, kept)
  }
}

extension HistoryTransaction: Hashable {
  /// Whether two transactions say the same.
  ///
  /// - Complexity: O(*n*) for *n* bytes in their changes.
  public static func == (a: HistoryTransaction, b: HistoryTransaction) -> Bool {
    a.record == b.record && a.token == b.token && a.changes.elementsEqual(b.changes)
  }

  /// Feeds the position into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(token) }
}
