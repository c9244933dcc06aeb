import HistoryModel
import SQLite

extension Tracker {
  /// The work of one tracking transaction.
  struct Session {
    private let connection: Connection
    private let shapes: ShapeTable
    private let inspection: CaptureInspection

    /// The widest stash that SQLite can hold and read: 2000 columns less three of our own.
    static let widestStash = 1997

    init(_ connection: Connection, _ inspection: CaptureInspection) {
      self.connection = connection
      self.inspection = inspection
      shapes = ShapeTable(connection)
    }

    /// Renews what has drifted, and switches the capture of chosen tables.
    ///
    /// - Parameters:
    ///   - request: How to switch it.
    ///   - chosen: The tables to switch.
    ///   - outcome: What was done is added to it.
    ///   - isMigrating: Whether the caller knows that nothing was written since the schema changed,
    ///     and that a table which is not there may be back in a moment.
    /// - Throws: ``/HistoryModel/HistoryError`` when a table cannot be captured any more.
    func renew(
      _ request: Request, _ chosen: [TableDescription], _ outcome: inout Outcome,
      isMigrating: Bool = false
    ) throws {
      for table in inspection.tables {
        let old = table.active.shape
        guard let current = table.current else {
          if isMigrating { continue }
          try shapes.retire(old.identifier)
          try note(table.notices, &outcome)
          outcome.renewed.append(old.table)
          continue
        }
        let isChosen = chosen.contains { $0.name == current.name }
        let capture = isChosen ? request.capture ?? old.capture : old.capture
        let keepsTimes = table.active.keepsTimes && !(isChosen && request.omitsTimes)
        let isSwitched = capture != old.capture || keepsTimes != table.active.keepsTimes
        if table.drift.isEmpty && !isSwitched {
          try makeRoom(
            for: CapturePlan(
              current, shape: old.identifier, capture: capture, keepsTimes: keepsTimes))
          continue
        }
        try dropTriggers(of: old.identifier)
        let isNew = table.needsNewShape || isSwitched
        if isNew { try shapes.retire(old.identifier) }
        let plan = CapturePlan(
          current, shape: isNew ? try shapes.next() : old.identifier, capture: capture,
          keepsTimes: keepsTimes)
        try install(plan)
        var notices = table.notices
        if try !isMigrating && isAddedColumnUsed(notices, current, capture) {
          notices.append(CaptureNotice(table: current.name, .gap(.columnsWereNotCaptured)))
        }
        try note(notices, &outcome)
        outcome.renewed.append(current.name)
      }
    }

    /// Captures a table again that a migration replaced by another of the same name.
    func resume(
      _ table: TableDescription, _ capture: Capture, keepsTimes: Bool, _ outcome: inout Outcome
    ) throws {
      try install(
        CapturePlan(
          table, shape: try shapes.next(), capture: capture, keepsTimes: keepsTimes))
      try note([CaptureNotice(table: table.name, .gap(.migrated))], &outcome)
      outcome.renewed.append(table.name)
    }

    /// Begins the capture of chosen tables that are not captured yet.
    func begin(
      _ request: Request, _ chosen: [TableDescription], _ outcome: inout Outcome
    ) throws {
      let known = Set(inspection.tables.compactMap { $0.current.map(\.name) })
      for table in chosen where !known.contains(table.name) {
        let wasTracked = try shapes.wasTracked(table.name)
        try install(
          CapturePlan(
            table, shape: try shapes.next(), capture: request.capture ?? .changes,
            keepsTimes: !request.omitsTimes))
        if wasTracked {
          try note([CaptureNotice(table: table.name, .gap(.captureWasMissing))], &outcome)
        }
        outcome.begun.append(table.name)
      }
    }

    private func install(_ plan: CapturePlan) throws {
      try makeRoom(for: plan)
      // What the application's own triggers make impossible is not ours to judge.
      let isSound = (try? compile(plan.table)) != nil
      try shapes.keep(plan)
      do {
        for trigger in plan.triggers { try connection.execute(trigger.sql) }
        if isSound { try compile(plan.table) }
      } catch let error as SQLiteError {
        throw HistoryError.uncapturable(plan.table.name, error)
      }
    }

    /// Compiles one statement of each kind on a table, with the triggers that it has: what cannot
    /// be compiled now would fail in the application's hands.
    private func compile(_ table: TableDescription) throws {
      let name = Identifier.quoted(table.name)
      try connection.execute("EXPLAIN INSERT INTO \(name) DEFAULT VALUES")
      try connection.execute("EXPLAIN DELETE FROM \(name)")
      if let column = table.columns.first(where: { $0.generation == nil }) {
        let sql = Identifier.quoted(column.name)
        try connection.execute("EXPLAIN UPDATE \(name) SET \(sql)=\(sql)")
      }
    }

    /// Makes the stash wide enough for the rows of a table, if SQLite can.
    ///
    /// It is empty between statements but for what ignored attempts left, which no longer counts
    /// once it is made anew.
    private func makeRoom(for plan: CapturePlan) throws {
      guard plan.stashWidth <= Self.widestStash else {
        let isDoubled = plan.stashWidth > plan.stored.count
        throw HistoryError.tooWide(
          plan.table.name, limit: isDoubled ? Self.widestStash / 2 : Self.widestStash)
      }
      let columns = try connection.row("SELECT count(*) FROM pragma_table_info('_history_stash')")
      guard plan.stashWidth > Int(columns?[0].integer ?? 0) - 3 else { return }
      try connection.execute(
        """
        DROP TABLE _history_stash;
        CREATE TABLE _history_stash(what, row, old, \(Layout.slotNames(plan.stashWidth)));
        """)
    }

    /// Takes the triggers of a shape away.
    func dropTriggers(of shape: Int64) throws {
      let prefix = "_history_\(shape)_"
      for row in try connection.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND substr(name, 1, ?) = ?",
        .integer(Int64(prefix.utf8.count)), .text(prefix))
      {
        if let name = row[0].text {
          try connection.execute("DROP TRIGGER \(Identifier.quoted(name))")
        }
      }
      // What its triggers stashed means nothing to the next ones.
      try connection.run(
        "DELETE FROM _history_stash WHERE abs(what) = ?", .integer(shape))
    }

    private func note(_ notices: [CaptureNotice], _ outcome: inout Outcome) throws {
      for notice in notices { try NoticeRow.append(notice, to: connection) }
      outcome.notices += notices
    }

    /// Whether an added column may have taken values that were not captured.
    ///
    /// It has not while every row holds the column's default. A large table is not read to its end
    /// for this: a gap is said instead.
    private func isAddedColumnUsed(
      _ notices: [CaptureNotice], _ table: TableDescription, _ capture: Capture
    ) throws -> Bool {
      guard capture != .keys else { return false }
      for case .schema(.columnsAdded(let names)) in notices.map(\.event) {
        for name in names {
          let value = table.columns.first { $0.name == name }?.defaultSQL ?? "NULL"
          let isUsed = try connection.row(
            """
            SELECT max(n > 100000 OR x IS NOT (\(value))) FROM (
              SELECT \(Identifier.quoted(name)) AS x, row_number() OVER () AS n
              FROM \(Identifier.quoted(table.name)) LIMIT 100001)
            """)
          if isUsed?[0].integer == 1 { return true }
        }
      }
      return false
    }
  }
}
