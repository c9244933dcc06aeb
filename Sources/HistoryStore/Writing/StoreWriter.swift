import EventLoop
public import HistoryModel
import SQLite

/// Writes to a tracked store, each transaction under an author.
///
/// ```swift
/// let writer = try StoreWriter(path: "app.db")
/// let token = try await writer.write(author: "app") { transaction in
///   try transaction.run("UPDATE tasks SET done = 1 WHERE id = ?", 7)
/// }
/// ```
///
/// The actor owns a connection. A transaction is `BEGIN IMMEDIATE … COMMIT`, and its tag is one row
/// appended before the commit, so the cost does not grow with what was changed. Each also drops a
/// little of what has outlived the limits, so that a store needs no other upkeep.
public actor StoreWriter {
  private var store: TrackedStore
  private let identifier: StoreIdentifier
  private let settings: Settings
  private let limits = BodyLimits()
  private var retention: WriterRetention?
  private let doorbell: Doorbell
  /// The version that the store's schema must have; nil for any.
  private let schema: Int64?
  private nonisolated let path: String
  private nonisolated let file: DatabaseFile
  private var connection: Connection { store.connection }

  /// Opens a store for writing.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - busyTimeout: How long to wait for other processes' locks, in milliseconds.
  ///   - foreignKeys: Whether foreign keys are enforced, which SQLite does not do by default.
  ///   - retention: How much history its transactions leave; nil to drop nothing.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` or `notTracked`.
  public init(
    path: String, busyTimeout: Int32 = 5000, foreignKeys: Bool = false,
    retention: RetentionLimits? = .standard
  ) throws(HistoryError) {
    try self.init(
      path: path, busyTimeout: busyTimeout, foreignKeys: foreignKeys, retention: retention,
      schema: nil)
  }

  /// Opens a store for writing as long as its schema has one version.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - busyTimeout: How long to wait for other processes' locks, in milliseconds.
  ///   - foreignKeys: Whether foreign keys are enforced.
  ///   - retention: How much history its transactions leave; nil to drop nothing.
  ///   - schema: What `PRAGMA user_version` must say; nil for anything.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` or `notTracked`.
  package init(
    path: String, busyTimeout: Int32 = 5000, foreignKeys: Bool = false,
    retention: RetentionLimits? = .standard, schema: Int64?
  ) throws(HistoryError) {
    self.schema = schema
    settings = Settings(
      path: path, busyTimeout: busyTimeout, foreignKeys: foreignKeys, limits: limits,
      retention: retention)
    (store, identifier) = try settings.open()
    self.retention = settings.retention(of: store)
    self.path = path
    file = store.file
    doorbell = Doorbell(database: path)
  }

  /// Whether the path still leads to the file that the writer was made for.
  package nonisolated var isCurrent: Bool { file.isStill(at: path) }

  /// How a store is opened, so that it can be opened again.
  private struct Settings {
    let path: String
    let busyTimeout: Int32
    let foreignKeys: Bool
    let limits: BodyLimits
    let retention: RetentionLimits?

    func retention(of store: TrackedStore) -> WriterRetention? {
      retention.map { WriterRetention(store, $0) }
    }

    func open() throws(HistoryError) -> (TrackedStore, StoreIdentifier) {
      let store = try TrackedStore(path: path, access: .readWrite, busyTimeout: busyTimeout)
      let identifier = try store.state().storeIdentifier
      if foreignKeys {
        try HistoryError.translating(at: path) {
          try store.connection.execute("PRAGMA foreign_keys = ON")
        }
      }
      store.connection.setAuthorizer { [limits] in limits.decide($0) }
      return (store, identifier)
    }
  }

  /// Opens the file that the path leads to now, where it is another one.
  ///
  /// What is written to a file without a name is lost with the connection.
  private func followPath() throws(HistoryError) {
    guard connection.hasMoved else { return }
    let (next, identifier) = try settings.open()
    guard identifier == self.identifier else { throw .otherStore(settings.path) }
    store = next
    retention = settings.retention(of: next)
  }

  /// Runs a body as one tagged transaction.
  ///
  /// - Parameters:
  ///   - author: Who writes: not empty.
  ///   - context: What to say about the transaction.
  ///   - body: What to do. When it throws, everything is rolled back.
  /// - Returns: The position right after the transaction; the head when it changed nothing.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` for the body's SQL,
  ///   `temporary` when the store was locked for too long, the disk is full, or the file was moved
  ///   away meanwhile, `storeUnavailable` when another store is in its place, and whatever else the
  ///   body throws. Nothing was changed then.
  @discardableResult
  public func write(
    author: String, context: String? = nil, _ body: @Sendable (WriteTransaction) throws -> Void
  ) throws -> HistoryToken {
    guard !author.isEmpty else { throw HistoryError.emptyAuthor }
    try followPath()
    retention?.look()
    let token = try committing {
      let header = try store.header()
      try checkSchema()
      // Read under the write lock: nobody can append until this transaction has ended.
      let first = try store.newest() + 1
      let transaction = WriteTransaction(connection)
      defer { transaction.end() }
      do {
        limits.isInForce = true
        defer { limits.isInForce = false }
        try body(transaction)
      }
      guard connection.isInTransaction else { throw HistoryError.rolledBackBySQLite }
      // In time to undo it: nobody would ever read it.
      guard !connection.hasMoved else { throw HistoryError.movedAway(settings.path) }
      let last = try store.newest()
      if last >= first {
        let tag = try store.prepared(.tag)
        try tag.bind(TagRow(author: author, context: context, first: first).values)
        try tag.run()
      }
      let head = try store.head(of: header)
      if last >= first { try retention?.trim(written: first, last) }
      return head
    }
    // The commit can be seen now, which the write of its pages could not promise.
    _ = doorbell.ring()
    return token
  }

  /// Drops the oldest part of the history, in steps too short for another writer to feel.
  ///
  /// - Parameters:
  ///   - token: Up to where.
  ///   - isForced: Whether to drop also what a consumer has not read yet.
  /// - Returns: What was dropped.
  /// - Throws: ``HistoryModel/HistoryError`` with code `historyTokenExpired` or `foreignToken`, and
  ///   `CancellationError`; what was dropped by then stays dropped.
  /// - Complexity: O(*n*) for *n* rows of history that are dropped.
  public func deleteHistory(
    through token: HistoryToken, evenUnread isForced: Bool = false
  ) async throws -> HistoryTrimmer.Outcome {
    try followPath()
    // By a connection of its own: what is written between the steps is to be as safe as ever.
    let store = try TrackedStore(
      path: path, access: .readWrite, busyTimeout: settings.busyTimeout)
    guard try store.state().storeIdentifier == identifier else {
      throw HistoryError.otherStore(path)
    }
    let outcome = try HistoryTrimmer(store).trim(keeping: .after(token), isForced: isForced)
    try await HistorySweeper(store).finish { try await Task.sleep(for: $0) }
    return outcome
  }

  /// Makes sure, under the write lock, that nobody has migrated the store meanwhile.
  private func checkSchema() throws {
    guard let schema else { return }
    let statement = try store.prepared(.userVersion)
    defer { statement.reset() }
    let found = try statement.step() ? statement.int64(at: 0) : 0
    guard found == schema else { throw HistoryError.otherSchema(path, found, schema) }
  }

  private func committing<T>(_ body: () throws -> T) throws -> T {
    do {
      return try connection.transaction(.immediate, body)
    } catch let error as SQLiteError {
      throw HistoryError(sql: error, at: store.path)
    }
  }
}
