import HistoryModel
import SQLite

/// What a store says of itself: the rows of `_history_store`.
struct StoreHeader {
  var identifier: StoreIdentifier
  var epoch: UInt32
  /// The last row that was trimmed, 0 if none was, and the check of a token there.
  var trimmed: Int64
  var trimmedCheck: UInt64
  /// The schema's cookie and fingerprint when capture was last made or found current.
  var schemaVersion: Int64
  var schemaFingerprint: UInt64

  /// The position before which nothing can be read any more.
  var oldest: HistoryToken {
    HistoryToken(
      storeIdentifier: identifier, epoch: epoch, sequence: trimmed, check: trimmedCheck)
  }

  /// The check of a token before the first row.
  static func initialCheck(of identifier: StoreIdentifier) -> UInt64 {
    var fingerprint = Fingerprint()
    fingerprint.combine(identifier.bytes)
    return fingerprint.value
  }

  /// A new store.
  init(identifier: StoreIdentifier) {
    self.identifier = identifier
    epoch = 1
    trimmed = 0
    trimmedCheck = Self.initialCheck(of: identifier)
    schemaVersion = 0
    schemaFingerprint = 0
  }

  /// Reads the header.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked` when there is none,
  ///   `unknownLayout` when it was written by another version.
  init(_ connection: Connection) throws {
    let present = try Self.presence(connection)
    guard !present.isEmpty else { throw HistoryError.notTracked(connection.path) }
    let missing = Self.tables.filter { !present.contains($0) }
    guard missing.isEmpty else {
      throw HistoryError.historyDamaged(
        "\(missing.joined(separator: " and ")) \(missing.count == 1 ? "is" : "are") missing")
    }
    try self.init(row: connection.prepare(Self.query))
  }

  /// The tables that hold the history.
  private static let tables = [
    "_history_store", "_history_table", "_history_column", "_history_change",
  ]

  /// Which of the tables that hold the history are there.
  static func presence(_ connection: Connection) throws -> Set<String> {
    let names = tables.map { "'\($0)'" }.joined(separator: ", ")
    let rows = try connection.rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))")
    return Set(rows.compactMap { $0[0].text })
  }

  /// What tells cheaply whether a header is still the one that was read: every change of it changes
  /// one of these.
  struct Mark: Equatable {
    private let store: String?
    private let epoch: Int64
    private let trimmed: Int64
    /// In a store that was restored and cut again, another row may stand at the same cut.
    private let trimmedCheck: Int64
    private let schemaVersion: Int64

    /// Reads the mark through a prepared ``StoreHeader/markQuery``.
    init(row statement: Statement) {
      store = statement.text(at: 0)
      epoch = statement.int64(at: 1)
      trimmed = statement.int64(at: 2)
      trimmedCheck = statement.int64(at: 3)
      schemaVersion = statement.int64(at: 4)
    }
  }

  static let markQuery = """
    SELECT (SELECT value FROM _history_store WHERE key = 'store'),
      (SELECT value FROM _history_store WHERE key = 'epoch'),
      (SELECT value FROM _history_store WHERE key = 'trimmed'),
      (SELECT value FROM _history_store WHERE key = 'trimmed_check'),
      (SELECT value FROM _history_store WHERE key = 'schema_version')
    """

  /// One row with a column for each value, in the order in which ``init(row:)`` reads them.
  static let query = """
    SELECT max(iif(key = 'layout', value, NULL)), max(iif(key = 'store', value, NULL)),
      max(iif(key = 'epoch', value, NULL)), max(iif(key = 'trimmed', value, NULL)),
      max(iif(key = 'trimmed_check', value, NULL)), max(iif(key = 'schema_version', value, NULL)),
      max(iif(key = 'schema_fingerprint', value, NULL))
    FROM _history_store
    """

  /// Reads the header through a prepared ``query``.
  init(row statement: Statement) throws {
    defer { statement.reset() }
    let isThere = try statement.step()
    let layout = isThere && statement.storage(at: 0) == .integer ? statement.int64(at: 0) : nil
    guard layout == Layout.version else { throw HistoryError.unknownLayout(layout) }
    guard let identifier = statement.text(at: 1).flatMap({ StoreIdentifier($0) }) else {
      throw HistoryError.historyDamaged("the store's identity is missing")
    }
    self.identifier = identifier
    epoch = UInt32(clamping: statement.int64(at: 2))
    trimmed = statement.int64(at: 3)
    trimmedCheck = UInt64(bitPattern: statement.int64(at: 4))
    schemaVersion = statement.int64(at: 5)
    schemaFingerprint = UInt64(bitPattern: statement.int64(at: 6))
  }

  /// Writes the header with the schema as it stands, after everything else that changes it.
  ///
  /// - Parameter connection: A connection inside the transaction that changed the schema.
  /// - Throws: ``SQLiteError`` when the schema cannot be read or the header not written.
  mutating func seal(in connection: Connection) throws {
    schemaVersion = try connection.row("PRAGMA schema_version")?[0].integer ?? 0
    schemaFingerprint = try CaptureInspection.fingerprint(of: connection)
    try write(to: connection)
  }

  /// Writes the header.
  func write(to connection: Connection) throws {
    let values: [(String, StoredValue)] = [
      ("layout", .integer(Layout.version)), ("store", .text(identifier.description)),
      ("epoch", .integer(Int64(epoch))), ("trimmed", .integer(trimmed)),
      ("trimmed_check", .integer(Int64(bitPattern: trimmedCheck))),
      ("schema_version", .integer(schemaVersion)),
      ("schema_fingerprint", .integer(Int64(bitPattern: schemaFingerprint))),
    ]
    for (key, value) in values {
      try connection.run(
        "INSERT OR REPLACE INTO _history_store(key, value) VALUES(?, ?)", .text(key), value)
    }
  }
}
