public import HistoryModel
public import HistoryStore
import SQLite

/// A store as one process has it: its owner's, or a client's.
///
/// It stands for SwiftData's `ModelContainer`. One process owns the schema and is given a plan; all
/// others are clients, which can be given none and open only what its owner has made ready.
///
/// ```swift
/// // In the app:
/// let store = try await StoreContainer.owner(at: path, plan: plan, writer: "app")
/// // In the widget:
/// let store = try StoreContainer.client(at: path, schema: 3, access: .readOnly)
/// let titles = try await store.rows("SELECT title FROM tasks WHERE done = 0").map {
///   try $0.decode(String.self)
/// }
/// ```
///
/// What crosses its border are values: rows, identifiers of rows, and what the caller makes of them.
public actor StoreContainer {
  /// What a client may do.
  public enum Access: Sendable {
    /// Only read, whatever SQL it runs.
    case readOnly
    /// Read, and write rows.
    case readWrite
  }

  /// What a process is to a store.
  public enum Role: Sendable, Hashable {
    /// The one that makes and migrates its schema.
    case owner
    /// One that opens what is ready.
    case client(Access)
  }

  /// The store's file, without symbolic links.
  public nonisolated let path: String
  /// What this process is to it.
  public nonisolated let role: Role
  /// The version of its schema.
  public nonisolated let schema: Int
  /// What making it ready took; nil for a client.
  public nonisolated let migration: MigrationOutcome?
  private let ownership: StoreOwnership?
  private var reading: Connection?

  private init(
    _ neighbours: StoreNeighbours, _ role: Role, schema: Int, _ ownership: StoreOwnership? = nil
  ) {
    path = neighbours.database
    self.role = role
    self.schema = schema
    self.ownership = ownership
    migration = ownership?.outcome
  }

  /// Takes a store as its owner: keeps other owners out, migrates it, and makes it ready.
  ///
  /// It works on a thread of its own, also for a long time. When the task is cancelled the store
  /// keeps the last version that was finished.
  ///
  /// - Parameters:
  ///   - path: The store's path. Where there is nothing, an empty store with a write-ahead log is made.
  ///   - plan: All versions of its schema.
  ///   - options: How to go about it.
  ///   - tell: Told what state the store is in, from that thread; the last one is `ready` or
  ///     `unavailable`.
  /// - Returns: The container. The store has no other owner while it lives.
  /// - Throws: ``/HistoryModel/HistoryError``, with ``/HistoryModel/HistoryError/unavailableReason`` where that is known. Nothing
  ///   was deleted or made anew.
  /// - Complexity: O(log *h*) where the store is ready already; else as long as its copy, its stages
  ///   and its verification take.
  public static func owner(
    at path: String, plan: MigrationPlan, options: MigrationOptions,
    telling tell: @escaping @Sendable (StoreReadiness) -> Void = { _ in }
  ) async throws(HistoryError) -> StoreContainer {
    tell(.opening)
    do throws(HistoryError) {
      let box = try await OwnThread.run("migrate") { mustStop throws(HistoryError) in
        let ownership = try StoreOwnership.take(
          path, plan: plan, options: options, stopping: mustStop
        ) { event in
          if case .ready(let schema) = event {
            tell(.ready(schema: schema))
          } else {
            tell(.migrating(event))
          }
        }
        return OwnershipBox(ownership: ownership)
      }
      return StoreContainer(
        StoreNeighbours(of: path), .owner, schema: plan.latest, box.ownership)
    } catch {
      tell(.unavailable(error))
      throw error
    }
  }

  /// Opens a store that its owner has made ready.
  ///
  /// The marker is asked first and the store itself then. There is nothing to fall back on: what is
  /// not ready, older, newer, of another store or changed by others is not opened.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - schema: The version that the caller was made for, exactly.
  ///   - access: What it wants to do.
  /// - Returns: The container.
  /// - Throws: ``/HistoryModel/HistoryError``, with ``/HistoryModel/HistoryError/unavailableReason``.
  /// - Complexity: O(*n*) for *n* columns.
  public static func client(
    at path: String, schema: Int, access: Access
  ) throws(HistoryError) -> StoreContainer {
    _ = try StoreReadiness.check(path: path, schema: schema)
    return StoreContainer(StoreNeighbours(of: path), .client(access), schema: schema)
  }

  /// Reads rows.
  ///
  /// The connection cannot write, whatever the SQL says, and holds no transaction afterwards.
  ///
  /// - Parameters:
  ///   - sql: One statement that reads.
  ///   - arguments: The values of its parameters, in order.
  /// - Returns: The rows, in the order in which SQLite gave them.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `statementFailed` and SQLite's message, and
  ///   with reason `newerSchema` once the owner has migrated the store.
  public func rows(
    _ sql: String, _ arguments: any ColumnValue & Sendable...
  ) throws(HistoryError) -> [StoredRow] {
    do {
      let connection = try readingConnection()
      let rows = Result {
        let statement = try connection.prepare(sql)
        try statement.bind(arguments.map(\.storedValue))
        return try StoredRow.all(of: statement)
      }
      // Last, also where the SQL failed: a version only grows, so what was read is of this one or
      // the owner has migrated the store meanwhile.
      let version = try connection.row("PRAGMA user_version")?[0].integer ?? 0
      try StoreReadiness.check(Int(version), for: schema, StoreNeighbours(of: path))
      return try rows.get()
    } catch let error as HistoryError {
      throw error
    } catch let error as SQLiteError {
      throw HistoryError(reading: error, at: path)
    } catch {
      throw HistoryError(unforeseen: error)
    }
  }

  /// A writer of the store, whose transactions have an author.
  ///
  /// - Parameter foreignKeys: Whether foreign keys are enforced.
  /// - Returns: The writer. Each of its transactions fails once the store has another version.
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `permissions` for a client that only reads, with the
  ///   reason of a store that is not ready any more, and code
  ///   `notTracked` where the store has no history.
  public nonisolated func writer(foreignKeys: Bool = true) throws(HistoryError) -> StoreWriter {
    guard role != .client(.readOnly) else { throw .clientOnlyReads(path) }
    // The owner may have migrated the store since it was opened here.
    if role != .owner { _ = try StoreReadiness.check(path: path, schema: schema) }
    return try StoreWriter(path: path, foreignKeys: foreignKeys, schema: Int64(schema))
  }

  private func readingConnection() throws -> Connection {
    if let reading, !reading.hasMoved { return reading }
    // Another file is here now: whether that one is ready is not known.
    if reading != nil, role != .owner { _ = try StoreReadiness.check(path: path, schema: schema) }
    let connection = try Connection(path: path, access: .readOnly)
    connection.setBusyTimeout(milliseconds: 5000)
    // Only reading, and no transaction that would outlast the statement.
    connection.setAuthorizer { action in
      switch action.code {
      case .select, .read, .function, .recursive: .allow
      case .pragma where action.second == nil: .allow
      default: .deny
      }
    }
    reading = connection
    return connection
  }
}

/// Carries an ownership from the thread that took it.
private struct OwnershipBox: @unchecked Sendable {
  // Sendable since it is handed over once and only kept then: until it goes, nobody uses it.
  let ownership: StoreOwnership
}
