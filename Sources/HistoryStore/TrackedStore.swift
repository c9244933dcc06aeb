public import HistoryModel
public import SQLite

/// A database opened for its history.
///
/// It holds one connection, confined to whoever owns the store. It never creates a file, and holds
/// no read transaction between calls.
public final class TrackedStore {
  /// The path as it was given.
  public let path: String
  /// The file that the path led to when the store was opened.
  public let file: DatabaseFile
  let connection: Connection
  /// The schema in which the tables of the history were last seen to be there.
  var checkedSchema: Int64?
  private var statements = [Statement?](repeating: nil, count: Prepared.allCases.count)

  /// Opens a database.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - access: Whether to write.
  ///   - busyTimeout: How long to wait for other processes' locks, in milliseconds.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` when there is no file
  ///   that could be a database. Whether it is one shows when it is first read.
  public init(
    path: String, access: Connection.Access, busyTimeout: Int32 = 5000
  ) throws(HistoryError) {
    guard let file = DatabaseFile(path: path) else { throw .noDatabase(path) }
    switch file.kind {
    case .file: break
    case .directory: throw .directory(path)
    case .other: throw .notARegularFile(path)
    }
    self.path = path
    self.file = file
    connection = try HistoryError.translating(at: path) {
      let connection = try Connection(path: path, access: access)
      connection.setBusyTimeout(milliseconds: busyTimeout)
      return connection
    }
  }

  /// Sets how long to wait for other processes' locks from now on.
  ///
  /// - Parameter milliseconds: How long; 0 for not at all.
  public func waitForLocks(milliseconds: Int32) {
    connection.setBusyTimeout(milliseconds: milliseconds)
  }

  /// Whether a writer is at work whose commit a read could make fail: only with a rollback journal.
  ///
  /// Asking takes no lock. Where it cannot be told, nobody is known to be writing.
  public var hasWriter: Bool { connection.hasWriter() ?? false }

  /// The identity, positions and settings of the store.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked` or `unknownLayout`.
  /// - Complexity: O(log *h*) for *h* rows of history.
  public func state() throws(HistoryError) -> StoreState {
    try HistoryError.translating(at: path) {
      try connection.transaction(.deferred) {
        let header = try header()
        return StoreState(header: header, head: try head(of: header))
      }
    }
  }

  /// A statement that is prepared once and used again.
  enum Prepared: Int, CaseIterable {
    case row, presence, header, newest, dataVersion, schemaVersion, userVersion, journalMode
    case ends, sweep, sample, cut, tag
    case holder, dateConsumers, usedBytes, advance, measureForth, measureBack

    static let texts = allCases.map(\.sql)

    private var sql: String {
      let values = Layout.slotNames(Layout.slots)
      switch self {
      case .row:
        return "SELECT what, at, \(values) FROM _history_change WHERE sequence = ?"
      case .presence:
        return
          "SELECT count(*) FROM sqlite_schema WHERE name IN ('_history_store', '_history_change')"
      case .header: return StoreHeader.query
      case .newest: return "SELECT sequence FROM _history_change ORDER BY sequence DESC LIMIT 1"
      case .dataVersion: return "PRAGMA data_version"
      case .schemaVersion: return "PRAGMA schema_version"
      case .userVersion: return "PRAGMA user_version"
      case .journalMode: return "PRAGMA journal_mode"
      case .ends: return HistorySweeper.query
      case .sweep: return "DELETE FROM _history_change WHERE sequence <= ?"
      case .sample: return "SELECT \(values) FROM _history_change WHERE sequence = ?"
      case .cut:
        return
          "SELECT sequence, what, at FROM _history_change WHERE sequence >= ? ORDER BY sequence"
      case .holder:
        return """
          SELECT name, sequence, at > julianday('now') + 1 FROM _history_consumer
          WHERE at > julianday('now') - \(Consumers.longestHold)
            AND sequence >= (SELECT value FROM _history_store WHERE key = 'trimmed')
          ORDER BY sequence LIMIT 1
          """
      case .dateConsumers:
        return """
          UPDATE _history_consumer SET at = julianday('now') WHERE at > julianday('now') + 1
          """
      case .usedBytes:
        return """
          SELECT (page_count - freelist_count) * page_size
          FROM pragma_page_count, pragma_freelist_count, pragma_page_size
          """
      case .advance:
        return """
          UPDATE _history_store SET value = iif(key = 'trimmed', ?1, ?2)
          WHERE key IN ('trimmed', 'trimmed_check')
          """
      case .measureForth:
        return
          "SELECT sequence, \(values) FROM _history_change WHERE sequence > ?1 AND sequence <= ?2"
          + " ORDER BY sequence"
      case .measureBack:
        return
          "SELECT sequence, \(values) FROM _history_change WHERE sequence > ?1 AND sequence <= ?2"
          + " ORDER BY sequence DESC"
      case .tag: return TagRow.insertion
      }
    }
  }

  /// The statement for a purpose; whoever uses it resets it.
  func prepared(_ purpose: Prepared) throws -> Statement {
    if let statement = statements[purpose.rawValue] { return statement }
    let statement = try connection.prepare(Prepared.texts[purpose.rawValue])
    statements[purpose.rawValue] = statement
    return statement
  }

  /// Whether the history is there, inside a transaction of the caller's.
  func hasHistory() throws -> Bool {
    let statement = try prepared(.presence)
    defer { statement.reset() }
    return try statement.step() && statement.int64(at: 0) == 2
  }

  /// The sequence of the newest row; 0 when there is none.
  func newest() throws -> Int64 {
    let statement = try prepared(.newest)
    defer { statement.reset() }
    let newest = try statement.step() ? statement.int64(at: 0) : 0
    // Nobody writes so many rows; and what is added to a number is added without fear.
    guard newest < 1 << 62 else {
      throw HistoryError.historyDamaged("a row has the number \(newest)")
    }
    return newest
  }

  /// The token of the newest row, inside a transaction of the caller's.
  func head(of header: StoreHeader) throws -> HistoryToken {
    try token(at: newest(), of: header)
  }

  /// The token of a position, inside a transaction of the caller's.
  func token(at sequence: Int64, of header: StoreHeader) throws -> HistoryToken {
    if sequence <= header.trimmed { return header.oldest }
    return HistoryToken(
      storeIdentifier: header.identifier, epoch: header.epoch, sequence: sequence,
      check: try check(at: sequence) ?? 0)
  }

  /// The check of the row at a position; nil when there is none.
  func check(at sequence: Int64) throws -> UInt64? {
    let statement = try prepared(.row)
    defer { statement.reset() }
    try statement.bind(.integer(sequence), at: 1)
    guard try statement.step() else { return nil }
    var scratch = CellBuffer()
    statement.appendCells(0..<Layout.slots + 2, to: &scratch)
    return RowCheck.value(of: scratch)
  }

  /// Judges whether a position can be read from, inside a transaction of the caller's.
  ///
  /// - Returns: Why not, or nil when it can.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `foreignToken`.
  func expiry(of token: HistoryToken, in header: StoreHeader) throws -> ExpiryReason? {
    guard token.storeIdentifier == header.identifier else {
      throw HistoryError.foreign(token)
    }
    if token.epoch > header.epoch { return .storeRestored }
    if token.epoch < header.epoch, let end = try StoreEpochs(connection).end(of: token.epoch),
      token.sequence > end
    {
      return .storeRestored
    }
    if token.sequence < header.trimmed { return .trimmed }
    let check =
      token.sequence == header.trimmed
      ? header.trimmedCheck : try check(at: token.sequence)
    return check == token.check ? nil : .storeRestored
  }
}

/// What a store says of itself at one moment.
public struct StoreState: Sendable, Hashable {
  /// The store's identity.
  public let storeIdentifier: StoreIdentifier
  /// The store's epoch.
  public let epoch: UInt32
  /// The position after the newest transaction.
  public let head: HistoryToken
  /// The smallest position that can still be read from.
  public let oldest: HistoryToken

  init(header: StoreHeader, head: HistoryToken) {
    storeIdentifier = header.identifier
    epoch = header.epoch
    self.head = head
    oldest = header.oldest
  }
}

/// The check that ties a token to the row at its position.
enum RowCheck {
  /// The check of a row's cells: `what`, `at` and the values.
  static func value(of cells: CellBuffer) -> UInt64 {
    var fingerprint = Fingerprint()
    for cell in cells.cells { fingerprint.combine(cell, in: cells) }
    return fingerprint.value
  }
}
