import HistoryModel
import SQLite

/// Compares the capture that stands in a database with the capture that its schema asks for.
struct CaptureInspection {
  /// One table that is being captured.
  struct Table {
    var active: ShapeTable.Active
    /// The table as it is now; nil when it is gone.
    var current: TableDescription?
    /// What is amiss, in words; empty when nothing is.
    var drift: [String] = []
    /// What to tell readers about it.
    var notices: [CaptureNotice] = []
    /// Whether the shape itself is another one now.
    var needsNewShape = false
  }

  /// The tables that are being captured.
  private(set) var tables: [Table] = []
  /// Every ordinary table as it is now, by folded name.
  private(set) var descriptions: [String: TableDescription] = [:]
  /// What every name in the schema stands for.
  private(set) var names: [(name: String, kind: SchemaReader.Kind)] = []
  let schemaVersion: Int64
  let schemaFingerprint: UInt64
  private let lifted: Set<Int64>
  private let reason: CaptureNotice.GapReason

  private struct Installed {
    var table: String
    var sql: String
    var row: Int64
  }

  /// Inspects a database, inside a transaction of the caller's.
  ///
  /// - Parameters:
  ///   - connection: A connection to it.
  ///   - header: The store's header; nil where it is not tracked.
  ///   - lifted: The shapes whose triggers the caller has taken away himself.
  ///   - reason: What to say of triggers that are missing otherwise.
  /// - Throws: ``SQLiteError`` when the schema cannot be read.
  /// - Complexity: O(*n*) for *n* objects in the schema.
  init(
    _ connection: Connection, header: StoreHeader?, lifted: Set<Int64> = [],
    missingBecause reason: CaptureNotice.GapReason = .captureWasMissing
  ) throws {
    self.lifted = lifted
    self.reason = reason
    let reader = SchemaReader(connection)
    names = try reader.names()
    schemaVersion = try connection.row("PRAGMA schema_version")?[0].integer ?? 0
    schemaFingerprint = try Self.fingerprint(of: connection)
    for case (let name, .ordinary(let isWithoutRowID, let isStrict)) in names {
      do {
        descriptions[ChangeFilter.folded(name)] = try reader.describe(
          name, isWithoutRowID: isWithoutRowID, isStrict: isStrict)
      } catch let error as HistoryError where error.code == .untrackable {
        continue
      }
    }
    let hasApplicationTriggers = try Self.hasApplicationTriggers(connection)
    let cycles = ForeignKeyCycles(Array(descriptions.values))
    for (name, table) in descriptions {
      descriptions[name]?.cascadingColumns = cycles.cascadingColumns(of: table)
      descriptions[name]?.mayChangeWhileDisplaced =
        hasApplicationTriggers
        || cycles.returns(to: table.name, by: { $0.actsOnDelete || $0.actsOnUpdate })
    }
    guard let header else { return }
    let installed = try Self.installed(connection)
    for active in try ShapeTable(connection).active() {
      var table = inspect(active, installed)
      // Nothing in the schema differs and yet its cookie moved: VACUUM does that, and it may give
      // the rowids of tables without INTEGER PRIMARY KEY anew.
      if active.shape.isKeyedByRowID, table.drift.isEmpty,
        header.schemaVersion != schemaVersion,
        try header.schemaFingerprint == schemaFingerprint
          || Self.rootPage(of: active.shape.table, connection) != active.rootPage
      {
        table.drift.append("its rowids may have been given anew")
        table.notices.append(
          CaptureNotice(table: active.shape.table, .gap(.rowIDsMayHaveChanged)))
      }
      tables.append(table)
    }
  }

  /// The same without some shapes, whose capture ends.
  func without(_ shapes: Set<Int64>) -> CaptureInspection {
    var rest = self
    rest.tables.removeAll { shapes.contains($0.active.shape.identifier) }
    return rest
  }

  /// Judges the capture of one table.
  private func inspect(
    _ active: ShapeTable.Active, _ installed: [String: Installed]
  ) -> Table {
    let shape = active.shape
    var table = Table(active: active)
    let prefix = "_history_\(shape.identifier)_"
    let mine = installed.filter { $0.key.hasPrefix(prefix) }
    // RENAME TABLE moves triggers along (fact 17).
    let name = mine.values.map(\.table).first ?? shape.table
    guard let current = descriptions[ChangeFilter.folded(name)] else {
      table.drift = ["the table is gone"]
      table.notices = [CaptureNotice(table: shape.table, .schema(.tableDropped))]
      return table
    }
    table.current = current
    let plan = CapturePlan(
      current, shape: shape.identifier, capture: shape.capture, keepsTimes: active.keepsTimes)
    if !current.name.utf8.elementsEqual(shape.table.utf8) {
      table.needsNewShape = true
      table.drift.append("it was called \(shape.table) before")
      table.notices.append(
        CaptureNotice(table: shape.table, .schema(.tableRenamed(current.name))))
    }
    compareColumns(&table, plan, insert: mine[prefix + "insert"]?.sql)
    let expected = plan.triggers
    // Some are asked for only since a foreign key or a trigger of the application was made.
    let missing = expected.filter { mine[$0.name] == nil && plan.isEssential($0) }
    if lifted.contains(shape.identifier) {
      table.drift.append("its triggers were taken away for a moment")
    } else if !missing.isEmpty {
      table.drift.append(
        missing.count == expected.count
          ? "its triggers are missing" : "some of its triggers are missing")
      table.notices.append(CaptureNotice(table: current.name, .gap(reason)))
    } else if !table.notices.contains(where: { $0.isRenaming }),
      let guardian = mine[plan.triggerName("before_insert")]?.sql,
      !plan.conflicts(forInsert: true).allSatisfy({ guardian.contains($0.condition) })
    {
      // Where something was renamed the standing text cannot be compared, and nothing was missed.
      table.drift.append("a UNIQUE constraint was added")
      table.notices.append(CaptureNotice(table: current.name, .gap(.captureWasMissing)))
    }
    if table.drift.isEmpty,
      mine.count != expected.count || expected.contains(where: { mine[$0.name]?.sql != $0.sql })
    {
      table.drift.append("its triggers are out of date")
    }
    if table.drift.isEmpty, isOvertaken(current.name, by: mine, installed) {
      table.drift.append("a trigger of the application was made after capture")
    }
    return table
  }

  /// Notes which columns came, went or were renamed since the shape was made.
  private func compareColumns(_ table: inout Table, _ plan: CapturePlan, insert: String?) {
    let shape = table.active.shape
    let folded = { (names: [String]) in Set(names.map(ChangeFilter.folded)) }
    let now = plan.stored.filter(\.isInImages).map(\.name) + plan.otherColumns
    // Standing triggers show under which names the captured columns go now: RENAME COLUMN rewrites
    // them, and a column that they name cannot be dropped (fact 17).
    let standing = insert.map { Self.incomingNames(in: $0) } ?? []
    let isKnown = standing.count == shape.columns.count
    var renamed: [String] = []
    var kept: [String] = shape.otherColumns
    for (place, column) in shape.columns.enumerated() where column.isInImages {
      let name = isKnown ? standing[place] : column.name
      kept.append(name)
      if ChangeFilter.folded(name) != ChangeFilter.folded(column.name) { renamed.append(name) }
    }
    let added = now.filter { !folded(kept).contains(ChangeFilter.folded($0)) }
    let removed = kept.filter { !folded(now).contains(ChangeFilter.folded($0)) }
    for (names, what, action) in [
      (renamed, "columns were renamed", CaptureNotice.SchemaAction.columnsRenamed(renamed)),
      (removed, "columns are gone", .columnsRemoved(removed)),
      (added, "columns are not captured", .columnsAdded(added)),
    ] where !names.isEmpty {
      table.drift.append("\(what): \(names.joined(separator: ", "))")
      table.notices.append(CaptureNotice(table: plan.table.name, .schema(action)))
    }
    if plan.tableShape.columns != shape.columns || plan.otherColumns != shape.otherColumns {
      table.needsNewShape = true
      if table.drift.isEmpty { table.drift.append("its columns have another type or order") }
    }
  }

  /// The columns of NEW whose values a trigger appends, in order.
  private static func incomingNames(in trigger: String) -> [String] {
    let tokens = Array(SQLTokens(trigger).drop { !$0.isKeyword("VALUES") })
    return tokens.indices.dropFirst(2).compactMap { place in
      guard tokens[place - 1].text == ".", tokens[place - 2].isKeyword("NEW") else { return nil }
      return GeneratedColumns.unquoted(tokens[place])
    }
  }

  /// Whether an application's trigger would fire before ours and log its effects before their
  /// cause (fact 8).
  private func isOvertaken(
    _ table: String, by mine: [String: Installed], _ installed: [String: Installed]
  ) -> Bool {
    let oldest = mine.values.map(\.row).min() ?? 0
    return installed.contains { name, trigger in
      !Layout.isOurs(name) && ChangeFilter.folded(trigger.table) == ChangeFilter.folded(table)
        && trigger.row > oldest
    }
  }

  private static func installed(_ connection: Connection) throws -> [String: Installed] {
    var triggers: [String: Installed] = [:]
    for row in try connection.rows(
      "SELECT name, tbl_name, sql, rowid FROM sqlite_schema WHERE type = 'trigger'")
    {
      triggers[row[0].text ?? ""] = Installed(
        table: row[1].text ?? "", sql: row[2].text ?? "", row: row[3].integer ?? 0)
    }
    return triggers
  }

  private static func hasApplicationTriggers(_ connection: Connection) throws -> Bool {
    try connection.row(
      """
      SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND lower(substr(name, 1, 9)) <> '_history_'
      """) != nil
  }

  static func rootPage(of table: String, _ connection: Connection) throws -> Int64? {
    try connection.row(
      "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", .text(table))?[0]
      .integer
  }

  /// A digest of everything that the schema says, root pages left out.
  static func fingerprint(of connection: Connection) throws -> UInt64 {
    let statement = try connection.prepare(
      "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
    var fingerprint = Fingerprint()
    var cells = CellBuffer()
    while try statement.step() {
      cells.removeAll()
      statement.appendCells(0..<4, to: &cells)
      for cell in cells.cells { fingerprint.combine(cell, in: cells) }
    }
    return fingerprint.value
  }
}

extension CaptureNotice {
  /// Whether the table or columns of it have new names, and nothing else.
  fileprivate var isRenaming: Bool {
    switch event {
    case .schema(.columnsRenamed), .schema(.tableRenamed): true
    default: false
    }
  }
}
