import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite

/// Two or three stores of the same schema, of which each can be made to follow another.
final class SyncPair {
  let stores: [TemporaryStore]

  init(
    _ sql: String, count: Int = 2, capture: Capture? = nil, journal: TemporaryStore.Journal = .wal
  ) throws {
    stores = try (0..<count).map { _ in
      let store = try TemporaryStore(sql: sql, journal: journal)
      try store.track(capture: capture)
      return store
    }
  }

  /// Writes as one tagged transaction.
  func write(_ store: Int, _ sql: String, author: String = "app") async throws {
    let writer = try StoreWriter(path: stores[store].path, retention: nil)
    try await writer.write(author: author) { try $0.execute(sql) }
  }

  /// Writes without an author.
  func writeUntagged(_ store: Int, _ sql: String) throws {
    try stores[store].connection().execute(sql)
  }

  /// All transactions of a store.
  func history(_ store: Int) throws -> [HistoryTransaction] {
    let opened = try stores[store].opened()
    return try opened.fetchHistory(HistoryDescriptor(after: .oldest)).transactions
  }

  /// Makes a store follow another to its head.
  @discardableResult
  func follow(
    _ target: Int, from source: Int, _ policy: ConflictPolicy = .stop
  ) throws -> [HistoryApplier.Outcome] {
    let applier = try HistoryApplier(path: stores[target].path, policy: policy)
    return try history(source).map { try applier.apply($0) }
  }

  /// Gives a store the rows of another.
  @discardableResult
  func takeRows(
    _ target: Int, from source: Int, _ policy: ConflictPolicy = .stop, resynchronizes: Bool = true
  ) throws -> SnapshotOutcome {
    let applier = try HistoryApplier(path: stores[target].path, policy: policy)
    return try takeRows(applier, from: source, resynchronizes: resynchronizes)
  }

  /// Gives an applier the rows of a store.
  @discardableResult
  func takeRows(
    _ applier: HistoryApplier, from source: Int, resynchronizes: Bool = true
  ) throws -> SnapshotOutcome {
    let rows = try RowSnapshot(stores[source].opened(), filter: ChangeFilter())
    try applier.beginSnapshot(at: rows.token)
    while let shape = try rows.next() { try applier.takeRow(shape: shape, values: rows.values) }
    return try applier.finishSnapshot(resynchronizes: resynchronizes)
  }

  /// The rows of a table.
  func rows(_ store: Int, _ table: String = "t") throws -> [[StoredValue]] {
    try stores[store].connection().rows("SELECT * FROM \(table) ORDER BY 1")
  }

  /// The changes of a store's history, each as its author and its text.
  func lines(_ store: Int) throws -> [String] {
    try stores[store].recorded().transactions.flatMap { transaction in
      transaction.lines.map { "\(transaction.record.author ?? "-"): \($0)" }
    }
  }
}
