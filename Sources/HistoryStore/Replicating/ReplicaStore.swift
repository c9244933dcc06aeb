package import HistoryModel
package import SQLite

/// A tracked store into which the history of another one is written.
///
/// What the application's triggers and foreign keys would do is in the other store's history
/// already, so they are off; what is written is captured all the same. SQLite can switch triggers
/// off only all at once, but those of the temporary schema stay on (fact 61): the connection has
/// the capture triggers there once more, word for word, and nothing of the database's schema is
/// touched.
package final class ReplicaStore {
  /// The store.
  package let store: TrackedStore
  /// The connection that writes to it.
  package var connection: Connection { store.connection }
  /// What is kept of other stores.
  package let sync: SyncTables
  /// The store's identity.
  package let identifier: StoreIdentifier
  /// The tables as they are, by folded name.
  package private(set) var tables: [String: ReplicaTable] = [:]
  /// The schema that the temporary triggers were made for.
  package private(set) var schema: Int64 = -1
  /// The position after what was last written here.
  package private(set) var head: HistoryToken?
  private let tag: Statement
  private var triggers: [String] = []

  /// Who wrote a transaction, and where it came from.
  package struct Tag {
    package var record: TransactionRecord
    /// The store that made it, and the sequence at which it ended there.
    package var origin: (store: StoreIdentifier, sequence: Int64)
    /// The store that it was read from.
    package var source: StoreIdentifier

    package init(
      record: TransactionRecord, origin: (store: StoreIdentifier, sequence: Int64),
      source: StoreIdentifier
    ) {
      self.record = record
      self.origin = origin
      self.source = source
    }
  }

  /// Opens a store that is to follow others.
  ///
  /// Capture that has drifted is renewed, since it is what says how rows are captured.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - busyTimeout: How long to wait for other processes' locks, in milliseconds.
  /// - Throws: `HistoryError` with code `storeUnavailable` or `notTracked`.
  package init(path: String, busyTimeout: Int32 = 5000) throws(HistoryError) {
    let store = try TrackedStore(path: path, access: .readWrite, busyTimeout: busyTimeout)
    self.store = store
    identifier = try store.state().storeIdentifier
    let connection = store.connection
    sync = SyncTables(store)
    tag = try HistoryError.translating(at: path) {
      connection.setTriggersEnabled(false)
      // A commit that is lost with the power is lost together with its position.
      if try connection.row("PRAGMA journal_mode")?[0].text == "wal" {
        try connection.execute("PRAGMA synchronous = NORMAL")
      }
      try connection.execute("PRAGMA foreign_keys = OFF")
      if try StoreHeader(connection).schemaVersion != Self.schemaVersion(of: connection) {
        _ = try Tracker(store).renew()
      }
      return try connection.prepare(TagRow.insertion)
    }
  }

  /// Makes tables of the store that is followed where they are missing, and captures them.
  ///
  /// - Parameter definitions: The tables of that store.
  /// - Returns: The names of those that were made.
  /// - Throws: `HistoryError` with code `tablesDiffer`; nothing was made then.
  package func make(_ definitions: [TableDefinition]) throws(HistoryError) -> [String] {
    try Tracker(store).make(definitions)
  }

  private static func schemaVersion(of connection: Connection) throws -> Int64 {
    try connection.row("PRAGMA schema_version")?[0].integer ?? 0
  }

  /// Runs a body as one write transaction.
  ///
  /// - Parameter body: What to do; it returns the tag of what it wrote, or nil when nothing of it
  ///   is another store's.
  /// - Returns: What the body returned besides.
  /// - Throws: What the body throws, and `HistoryError`; nothing was changed then.
  package func write<T>(_ body: () throws -> (T, Tag?)) throws(HistoryError) -> T {
    guard !connection.hasMoved else { throw HistoryError.movedAway(store.path) }
    let before = (schema, triggers, tables, head)
    var makesTables = false
    do throws(HistoryError) {
      return try HistoryError.translating(at: store.path) {
        try connection.transaction(.immediate) {
          // Not before: who is refused, or only asks, has left nothing.
          if try !sync.areMade {
            makesTables = true
            var header = try StoreHeader(connection)
            // To seal it hides what others did to the schema.
            guard try header.schemaVersion == store.schemaVersion() else {
              throw HistoryError.schemaMoved(store.path)
            }
            if try SyncTables.create(in: connection) { try header.seal(in: connection) }
          }
          if try store.schemaVersion() != schema { try follow() }
          let first = try store.newest() + 1
          let (result, tag) = try body()
          // Also where nothing was changed: whose history is followed learns that this one knows.
          if let tag { try append(tag, first: first) }
          if try store.newest() >= first { head = try store.head(of: store.header()) }
          // In time to undo it: nobody would ever read it, nor apply it to what is at the path now.
          guard !connection.hasMoved else { throw HistoryError.movedAway(store.path) }
          return result
        }
      }
    } catch {
      // A rollback takes temporary triggers along that were made in the transaction, and brings those
      // back that were dropped: without them the next attempt would leave nothing in the history.
      (schema, triggers, tables, head) = before
      if makesTables { sync.forget() }
      throw error
    }
  }

  /// A number that moves when another connection has committed, inside a write.
  package func othersVersion() throws -> Int64 { try store.dataVersion() }

  /// The last row of the history, inside a write.
  package func newest() throws -> Int64 { try store.newest() }

  /// The position at a row of the history, or the oldest that is left, inside a write.
  package func position(at sequence: Int64) throws -> HistoryToken {
    try store.token(at: sequence, of: store.header())
  }

  private func append(_ tag: Tag, first: Int64) throws {
    let record = tag.record
    let origin = TagRow.Origin(
      store: tag.origin.store, sequence: tag.origin.sequence, source: tag.source,
      madeAt: record.timestamp)
    try self.tag.bind(
      TagRow(author: record.author, context: record.context, first: first, origin: origin).values)
    try self.tag.run()
  }

  /// Makes the temporary triggers anew, for the schema as it is.
  private func follow() throws {
    let header = try StoreHeader(connection)
    let now = try store.schemaVersion()
    guard header.schemaVersion == now else { throw HistoryError.schemaMoved(store.path) }
    for name in triggers { try connection.execute("DROP TRIGGER temp.\(Identifier.quoted(name))") }
    triggers = []
    tables = [:]
    let inspection = try CaptureInspection(connection, header: header)
    for table in inspection.tables {
      guard let current = table.current else { continue }
      let active = table.active
      let plan = CapturePlan(
        current, shape: active.shape.identifier, capture: active.shape.capture,
        keepsTimes: active.keepsTimes)
      for trigger in plan.triggers {
        try connection.execute("CREATE TEMP" + trigger.sql.dropFirst("CREATE".count))
        triggers.append(trigger.name)
      }
      tables[ChangeFilter.folded(current.name)] = ReplicaTable(current, active.shape.capture)
    }
    schema = now
  }
}

extension HistoryError {
  /// Another process changed the schema while the store was followed into.
  static func schemaMoved(_ path: String) -> HistoryError {
    HistoryError(
      .temporary, "the schema of \(path) was changed meanwhile",
      hint: "nothing was lost: run it again, which renews capture and goes on")
  }
}
