package import HistoryModel
package import SQLite

/// Keeps capture in step while a migration changes tables, inside one write transaction.
///
/// Triggers are taken away only around a statement that could not run with them, and are made anew
/// before the next one that writes rows; so every change of a row is captured, and readers are told
/// which columns came and went. What was changed is tagged with the author that migrates.
package final class MigratingCapture {
  private let connection: Connection
  private let author: String
  private let context: String?
  /// The tables that were captured when it began.
  private let captured: [ShapeTable.Active]
  private var header: StoreHeader
  /// The schema that capture is in step with.
  private var schema: Int64
  /// The first row of history that the next tag covers.
  private var first: Int64
  /// The first row of history that is the migration's.
  private let beginning: Int64
  private var lifted: Set<Int64> = []
  private var goesBack = false
  /// What was told to readers, each with the newest row of history then.
  private var told: [(newest: Int64, notice: CaptureNotice)] = []
  /// What was told to readers.
  package var notices: [CaptureNotice] { told.map(\.notice) }

  /// Begins, bringing capture up to date first; nil where nothing is tracked.
  ///
  /// - Parameters:
  ///   - connection: A connection in a write transaction.
  ///   - author: Who migrates.
  ///   - context: What to say about it.
  /// - Throws: ``/HistoryModel/HistoryError`` when the history cannot be used.
  package init?(_ connection: Connection, author: String, context: String?) throws {
    guard try !StoreHeader.presence(connection).isEmpty else { return nil }
    self.connection = connection
    self.author = author
    self.context = context
    header = try StoreHeader(connection)
    for (_, sql) in try Layout.missing(in: connection) { try connection.execute(sql) }
    var outcome = Tracker.Outcome()
    // What happened before is not the migration's doing.
    try Tracker.Session(connection, CaptureInspection(connection, header: header))
      .renew(Tracker.Request(), [], &outcome)
    try header.seal(in: connection)
    captured = try ShapeTable(connection).active()
    schema = header.schemaVersion
    beginning = try Self.newest(connection) + 1
    first = beginning
    told = outcome.notices.map { (beginning - 1, $0) }
  }

  /// What one statement needs to be done around it.
  private enum Need {
    /// Its table's triggers stand in its way.
    case lifting(table: String)
    /// Nothing: it changes the schema, and capture follows afterwards.
    case nothing
    /// Capture as it should be.
    case current
    /// It undoes what capture did meanwhile, too.
    case goingBack
  }

  /// Prepares for a statement that is about to run.
  ///
  /// - Parameter sql: The statement's text.
  /// - Throws: ``/HistoryModel/HistoryError`` when capture cannot follow the tables.
  package func willRun(_ sql: String) throws {
    switch Self.need(of: sql) {
    case .nothing: return
    case .goingBack: goesBack = true
    case .current:
      if try schemaVersion() != schema { try follow(isLast: false) }
    case .lifting(let table):
      if try schemaVersion() != schema { try follow(isLast: false) }
      try lift(table)
    }
  }

  /// Follows a statement that has run.
  package func didRun() throws {
    if goesBack { try goBack() }
    if !lifted.isEmpty { try follow(isLast: false) }
  }

  /// Ends: follows what the schema has become, and tags what was changed.
  ///
  /// Nothing may change the schema after this.
  package func finish() throws {
    try follow(isLast: true)
    try tag()
  }

  private static func need(of sql: String) -> Need {
    var tokens = SQLTokens(sql).makeIterator()
    guard let verb = tokens.next() else { return .nothing }
    if verb.isKeyword("ROLLBACK") { return .goingBack }
    if verb.isKeyword("CREATE") || verb.isKeyword("DROP") { return .nothing }
    guard verb.isKeyword("ALTER") else { return .current }
    // ALTER TABLE [schema.]table DROP [COLUMN] column
    _ = tokens.next()
    guard var table = tokens.next(), var action = tokens.next() else { return .nothing }
    if action.text == ".", let name = tokens.next(), let next = tokens.next() {
      (table, action) = (name, next)
    }
    if action.isKeyword("DROP") { return .lifting(table: GeneratedColumns.unquoted(table)) }
    // Two names that are swapped by way of a third are three renamings, one after the other.
    let isRenamedTable = action.isKeyword("RENAME") && tokens.next()?.isKeyword("TO") == true
    return isRenamedTable ? .current : .nothing
  }

  private func lift(_ table: String) throws {
    let inspection = try CaptureInspection(connection, header: header)
    let session = Tracker.Session(connection, inspection)
    for entry in inspection.tables {
      guard let current = entry.current,
        ChangeFilter.folded(current.name) == ChangeFilter.folded(table)
      else { continue }
      try session.dropTriggers(of: entry.active.shape.identifier)
      lifted.insert(entry.active.shape.identifier)
    }
  }

  /// Brings capture in step with the schema.
  private func follow(isLast: Bool) throws {
    // Notices stand between tags: each is a position to go on from.
    try tag()
    let inspection = try CaptureInspection(
      connection, header: header, lifted: lifted, missingBecause: .migrated)
    lifted = []
    let session = Tracker.Session(connection, inspection)
    var outcome = Tracker.Outcome()
    try session.renew(Tracker.Request(), [], &outcome, isMigrating: true)
    if isLast { try settle(inspection, session, &outcome) }
    try header.seal(in: connection)
    schema = header.schemaVersion
    let newest = try Self.newest(connection)
    told += outcome.notices.map { (newest, $0) }
    first = newest + 1
  }

  /// Takes up what stands again after a ROLLBACK TO.
  private func goBack() throws {
    goesBack = false
    header = try StoreHeader(connection)
    schema = header.schemaVersion
    let newest = try Self.newest(connection)
    told.removeAll { $0.newest > newest }
    let mark = try connection.row(
      """
      SELECT sequence FROM _history_change
      WHERE sequence >= ? AND what IN (\(Layout.Mark.tag), \(Layout.Mark.notice))
      ORDER BY sequence DESC LIMIT 1
      """, .integer(beginning))
    first = mark?[0].integer.map { $0 + 1 } ?? beginning
  }

  /// Decides what became of tables that are not there, or are there again.
  private func settle(
    _ inspection: CaptureInspection, _ session: Tracker.Session, _ outcome: inout Tracker.Outcome
  ) throws {
    let shapes = ShapeTable(connection)
    for table in inspection.tables where table.current == nil {
      try shapes.retire(table.active.shape.identifier)
      for notice in table.notices { try NoticeRow.append(notice, to: connection) }
      outcome.notices += table.notices
    }
    let active = Set(try shapes.active().map { ChangeFilter.folded($0.shape.table) })
    for old in captured {
      let name = ChangeFilter.folded(old.shape.table)
      // Renamed away and made anew under the old name, as one recipe has it.
      guard !active.contains(name), let table = inspection.descriptions[name] else { continue }
      try session.resume(
        table, old.shape.capture, keepsTimes: old.keepsTimes, &outcome)
    }
  }

  /// Tags what was changed since the last tag.
  private func tag() throws {
    let last = try Self.newest(connection)
    guard last >= first else { return }
    try TagRow(author: author, context: context, first: first).append(to: connection)
    first = last + 2
  }

  private func schemaVersion() throws -> Int64 {
    try connection.row("PRAGMA schema_version")?[0].integer ?? 0
  }

  private static func newest(_ connection: Connection) throws -> Int64 {
    try connection.row("SELECT max(sequence) FROM _history_change")?[0].integer ?? 0
  }
}
