/// Puts the lines of a stream together to whole transactions.
///
/// What is not finished has not happened: a transaction comes out with its commit, and what was
/// sent of one that breaks off is dropped by ``dropUnfinished()``.
package struct TransactionAssembler: Sendable {
  private var collector = TransactionCollector()
  private var open: (number: Int64, author: String?, last: Int, count: Int)?

  package init() {}

  /// Whether changes were taken in whose commit has not come.
  package var isInTransaction: Bool { open != nil }

  /// Takes in a change.
  ///
  /// - Throws: ``LineError`` when it cannot follow what came before it.
  package mutating func append(_ line: StreamLine.Change) throws(LineError) {
    if let open {
      guard open.number == line.transaction else {
        throw LineError("the one before it has not ended", in: "transaction")
      }
      guard open.author == line.author else {
        throw LineError("it is not that of the transaction", in: "author")
      }
      guard line.change.index > open.last else {
        throw LineError("it does not grow", in: "index")
      }
    }
    open = (line.transaction, line.author, line.change.index, (open?.count ?? 0) + 1)
    collector.append(line.change)
  }

  /// Takes in the end of a transaction.
  ///
  /// - Returns: The transaction.
  /// - Throws: ``LineError`` when it is not the end of what came before it.
  package mutating func commit(
    _ record: TransactionRecord, changes: Int, token: HistoryToken
  ) throws(LineError) -> HistoryTransaction {
    guard changes == open?.count ?? 0 else {
      throw LineError("so many did not come", in: "changes")
    }
    if let open {
      guard open.number == record.number else {
        throw LineError("it is another one that has not ended", in: "transaction")
      }
      guard open.author == record.author else {
        throw LineError("it is not that of the changes", in: "author")
      }
    }
    collector.commit(record, token: token)
    open = nil
    let whole = collector
    collector = TransactionCollector()
    guard let transaction = whole.transactions().first else {
      preconditionFailure("What was committed is whole.")
    }
    return transaction
  }

  /// Forgets the changes whose commit has not come.
  package mutating func dropUnfinished() {
    open = nil
    collector = TransactionCollector()
  }
}
