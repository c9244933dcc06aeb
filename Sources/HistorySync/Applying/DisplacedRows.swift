import HistoryModel
import HistoryStore

/// The rows that had to make room for another row's unique values, as capture has them in the
/// history that a write is making.
struct DisplacedRows {
  private let replica: ReplicaStore
  /// The last row of the history before.
  private let since: Int64

  /// Begins inside a write, before anything is displaced.
  init(_ replica: ReplicaStore) throws {
    self.replica = replica
    since = try replica.newest()
  }

  /// The rows that were deleted since, also those that were meant to be.
  ///
  /// - Returns: Their deletions.
  /// - Throws: What SQLite reports.
  /// - Complexity: O(*n*) for the *n* changes since.
  func found() throws -> [HistoryChange] {
    guard try replica.newest() > since else { return [] }
    let reader = try HistoryReader(replica.store, after: replica.position(at: since))
    var collector = TransactionCollector()
    var reading = ReadingState.more
    while reading == .more {
      reading = try reader.readInTransaction { item in
        if case .change(let change, let index, _) = item, change.operation == .delete {
          collector.append(change, in: reader.values, index: index)
        }
        return .goOn
      }
    }
    collector.commit(TransactionRecord(number: since + 1), token: reader.token)
    return collector.transactions().flatMap(\.changes)
  }
}
