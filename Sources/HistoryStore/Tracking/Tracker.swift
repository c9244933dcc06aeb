public import HistoryModel
import SQLite

/// Begins, renews and ends the capture of tables.
public struct Tracker {
  /// What to track, and how.
  public struct Request: Sendable {
    /// The tables, by name in any letter case; none for all ordinary tables.
    public var tables: [String]
    /// Tables to leave out when all are tracked.
    public var except: [String]
    /// How much to capture; nil keeps what a table has, and is `changes` for a new one.
    public var capture: Capture?
    /// Whether new capture leaves the time of each statement out.
    public var omitsTimes: Bool
    /// Whether the store becomes one of its own, as a copy of another must.
    public var makesNewIdentity: Bool

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - tables: The tables; none for all.
    ///   - except: Tables to leave out.
    ///   - capture: How much to capture.
    ///   - omitsTimes: Whether to leave the time of each statement out.
    ///   - makesNewIdentity: Whether the store becomes one of its own.
    public init(
      tables: [String] = [], except: [String] = [], capture: Capture? = nil,
      omitsTimes: Bool = false, makesNewIdentity: Bool = false
    ) {
      self.tables = tables
      self.except = except
      self.capture = capture
      self.omitsTimes = omitsTimes
      self.makesNewIdentity = makesNewIdentity
    }
  }

  /// What was done.
  public struct Outcome: Sendable {
    /// Tables whose capture began.
    public internal(set) var begun: [String] = []
    /// Tables whose capture was renewed.
    public internal(set) var renewed: [String] = []
    /// Objects of the program that had been dropped and hold nothing, made anew.
    public internal(set) var remade: [String] = []
    /// What was written into the history about it.
    public internal(set) var notices: [CaptureNotice] = []
    /// Every table that is captured now, with how much.
    public internal(set) var tracked: [(table: String, capture: Capture, keepsTimes: Bool)] = []
  }

  let store: TrackedStore
  var connection: Connection { store.connection }

  /// Makes a tracker of a store that was opened for writing.
  ///
  /// - Parameter store: The store.
  public init(_ store: TrackedStore) { self.store = store }

  /// Tracks tables, in one transaction; safe to repeat, also to follow a changed schema.
  ///
  /// - Parameter request: What to track, and how.
  /// - Returns: What was done.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `untrackable` when a named table cannot be
  ///   tracked, `storeUnavailable` when there is nothing to track. Nothing is tracked then.
  /// - Complexity: O(*n*) for *n* objects in the schema.
  @discardableResult
  public func track(_ request: Request) throws(HistoryError) -> Outcome {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        let existing = try existingHeader()
        let inspection = try CaptureInspection(connection, header: existing)
        let chosen = try Selection(inspection, store.path).tables(request)
        var header = try existing ?? newHeader()
        let remade = try remake()
        if request.makesNewIdentity { header = try renamed(header) }
        var outcome = Outcome(remade: remade)
        let session = Session(connection, inspection)
        try session.renew(request, chosen, &outcome)
        try session.begin(request, chosen, &outcome)
        try header.seal(in: connection)
        outcome.tracked = try ShapeTable(connection).active().map {
          ($0.shape.table, $0.shape.capture, $0.keepsTimes)
        }
        return outcome
      }
    }
  }

  /// Renews the capture of every table whose capture has drifted, and nothing else.
  ///
  /// - Returns: What was done.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked`.
  public func renew() throws(HistoryError) -> Outcome {
    try HistoryError.translating(at: store.path) {
      try connection.transaction(.immediate) {
        var header = try StoreHeader(connection)
        var outcome = Outcome(remade: try remake())
        let inspection = try CaptureInspection(connection, header: header)
        let session = Session(connection, inspection)
        try session.renew(Request(), [], &outcome)
        try header.seal(in: connection)
        return outcome
      }
    }
  }

  /// Makes anew what was dropped by hand and holds nothing.
  private func remake() throws -> [String] {
    let missing = try Layout.missing(in: connection)
    for (_, sql) in missing { try connection.execute(sql) }
    return missing.map(\.name)
  }

  func existingHeader() throws -> StoreHeader? {
    try StoreHeader.presence(connection).isEmpty ? nil : StoreHeader(connection)
  }

  /// Makes the tables of the history, inside a transaction.
  func newHeader() throws -> StoreHeader {
    // A store that was migrated before has an identity that others know it by.
    let known = try BoundaryTable(connection).ownIdentity()
    let header = StoreHeader(identifier: known ?? StoreIdentifier())
    try connection.execute(Layout.creation)
    for (_, sql) in Layout.replaceable { try connection.execute(sql) }
    try header.write(to: connection)
    return header
  }

  /// Gives a copied store an identity of its own; positions of the original are then foreign.
  private func renamed(_ header: StoreHeader) throws -> StoreHeader {
    // Should it follow the store that it is a copy of, it has what stands in its history already.
    _ = try SyncTables.create(in: connection)
    var entry = SyncTables.Entry()
    let head = try store.head(of: header)
    entry.token = head
    entry.applied = head.sequence
    entry.agreed = head.sequence
    try SyncTables(store).keep(entry, of: header.identifier)
    var header = header
    header.identifier = StoreIdentifier()
    if header.trimmed == 0 {
      header.trimmedCheck = StoreHeader.initialCheck(of: header.identifier)
    }
    // Consumers stay where they are, in the words of the new store.
    for row in try connection.rows("SELECT name, token FROM _history_consumer") {
      let old = try HistoryToken(row[1].text ?? "")
      let token = HistoryToken(
        storeIdentifier: header.identifier, epoch: header.epoch, sequence: old.sequence,
        check: old.sequence == header.trimmed ? header.trimmedCheck : old.check)
      try connection.run(
        "UPDATE _history_consumer SET token = ? WHERE name = ?", .text(token.description), row[0])
    }
    return header
  }
}

extension Tracker {
  /// Chooses the tables that a request is about.
  private struct Selection {
    let inspection: CaptureInspection
    let path: String

    init(_ inspection: CaptureInspection, _ path: String) {
      self.inspection = inspection
      self.path = path
    }

    func tables(_ request: Request) throws -> [TableDescription] {
      for name in request.except { _ = try table(named: name, mustBeOrdinary: false) }
      if !request.tables.isEmpty {
        var seen: Set<String> = []
        return try request.tables.compactMap { try table(named: $0, mustBeOrdinary: true) }
          .filter { seen.insert($0.name).inserted }
      }
      let except = Set(request.except.map(ChangeFilter.folded))
      let all = inspection.names.map { ChangeFilter.folded($0.name) }
        .filter { !except.contains($0) }.compactMap { inspection.descriptions[$0] }
      guard !all.isEmpty else { throw HistoryError.nothingToTrack(path) }
      return all
    }

    private func table(named name: String, mustBeOrdinary: Bool) throws -> TableDescription? {
      let folded = ChangeFilter.folded(name)
      guard let entry = inspection.names.first(where: { ChangeFilter.folded($0.name) == folded })
      else {
        if Layout.isOurs(name) { throw HistoryError.notATable(name, "part of the history") }
        if Layout.isSystem(name) { throw HistoryError.notATable(name, "a table of SQLite's own") }
        throw HistoryError.noSuchTable(name)
      }
      guard mustBeOrdinary else { return nil }
      switch entry.kind {
      case .view: throw HistoryError.notATable(name, "a view")
      case .virtual: throw HistoryError.notATable(name, "a virtual table")
      case .shadow: throw HistoryError.notATable(name, "the shadow of a virtual table")
      case .ordinary:
        guard let table = inspection.descriptions[folded] else {
          throw HistoryError.rowIDIsHidden(table: name)
        }
        return table
      }
    }
  }
}
