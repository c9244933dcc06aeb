import HistoryModel
import SQLite

/// Rows that REPLACE displaces fire no DELETE trigger (fact 3). A BEFORE trigger, guarded so that
/// it costs a look into each index, stashes the rows that stand in the way; an AFTER trigger
/// appends a delete for those that are gone.
extension CapturePlan {
  /// A condition of a conflict between a row `t` of the table and NEW, by one constraint.
  struct Conflict {
    /// That `t` stands in the way of NEW.
    var condition: String
    /// That an update changed something it depends on; nil when that is not known by columns.
    var isTouched: String?
    /// The columns it depends on, quoted; nil when not known.
    var columns: [String]?
  }

  func conflicts(forInsert isInsert: Bool) -> [Conflict] {
    var conflicts: [Conflict] = []
    if case .rowID(let name) = table.identity {
      let sql = Identifier.quoted(name)
      let isColumn = table.keyColumns.contains { $0.name == name }
      // A rowid that is no column can be set by INSERT; by UPDATE only where it is the key.
      if isInsert || isColumn || table.keyColumns.isEmpty {
        conflicts.append(
          Conflict(
            condition: "\(alias).\(sql)=NEW.\(sql)", isTouched: "NEW.\(sql)<>OLD.\(sql)",
            columns: isColumn ? [sql] : nil))
      }
    }
    return conflicts + table.uniques.map { conflict(of: $0) }
  }

  private func conflict(of unique: UniqueConstraint) -> Conflict {
    var isPlain = unique.condition == nil
    var conditions: [String] = []
    var touched: [String] = []
    var columns: [String] = []
    for term in unique.terms {
      // Explicit, so that the index can be used whatever the column's own collation is.
      let collate =
        mentionsCollation || term.collation != "BINARY"
        ? " COLLATE \(Identifier.quoted(term.collation))" : ""
      switch term.subject {
      case .column(let name):
        let sql = Identifier.quoted(name)
        let column = table.columns.first { Identifier.equal($0.name, name) }
        let isComputed = column?.generation != nil
        if isComputed { isPlain = false }
        // The condition of a partial index guards its expressions, so it is asked first.
        let value =
          isComputed || unique.condition != nil
          ? IncomingRow(table, alias: alias).value(of: sql, where: unique.condition)
          : IncomingRow.value(of: column, sql)
        conditions.append("\(alias).\(sql)=\(value)\(collate)")
        touched.append("NEW.\(sql) IS NOT OLD.\(sql)\(collate)")
        columns.append(sql)
      case .expression(let expression):
        isPlain = false
        let value = IncomingRow(table, alias: alias).value(of: expression, where: unique.condition)
        conditions.append("(\(expression))=\(value)\(collate)")
      }
    }
    if let condition = unique.condition { conditions.insert("(\(condition))", at: 0) }
    return Conflict(
      condition: SQLText.all(conditions), isTouched: isPlain ? SQLText.any(touched) : nil,
      columns: isPlain ? columns : nil)
  }

  /// Whether an insert can displace nothing but the one row whose rowid it has, with no trigger of
  /// the table in between: the commonest table, and the cheapest capture.
  ///
  /// Its BEFORE trigger empties the stash each time. Else only the trigger of a delete has to, which
  /// with recursive_triggers on has appended what is stashed.
  private var isSimple: Bool {
    guard case .rowID = table.identity else { return false }
    return table.uniques.isEmpty && !isReentrant
  }

  /// The trigger that stashes what an insert may displace.
  ///
  /// Where there are several ways to collide, each is asked by an EXISTS of its own, which uses its
  /// index; where there is one, the stashing query itself asks.
  var beforeInsert: String {
    let conflicts = conflicts(forInsert: true).map(\.condition)
    if isSimple {
      return trigger(
        "before_insert", "BEFORE INSERT", when: nil, forgetAttempts + stash(where: conflicts))
    }
    let guardian = conflicts.map {
      "EXISTS(SELECT 1 FROM \(quotedTable) AS \(alias) WHERE \($0))"
    }
    return trigger(
      "before_insert", "BEFORE INSERT", when: guardian.joined(separator: " OR "),
      forgetAttempts + stash(where: conflicts))
  }

  /// The trigger that stashes what an update may displace.
  var beforeUpdate: String? {
    let conflicts = conflicts(forInsert: false)
    guard !conflicts.isEmpty else { return nil }
    if isSimple { return beforeUpdateSimply }
    let isOther = "NOT(\(isSame(alias, "OLD")))"
    let guardian = conflicts.map { conflict in
      let touched = conflict.isTouched.map { "(\($0)) AND " } ?? ""
      return "\(touched)EXISTS(SELECT 1 FROM \(quotedTable) AS \(alias) WHERE "
        + "\(conflict.condition) AND \(isOther))"
    }
    var event = "BEFORE UPDATE"
    let columns = conflicts.map(\.columns)
    if !columns.contains(nil) {
      var seen: Set<String> = []
      event +=
        " OF "
        + columns.flatMap { $0 ?? [] }.filter { seen.insert($0).inserted }.joined(separator: ",")
    }
    // A BEFORE trigger sees a generated column as NULL unless something in it names what the
    // column is computed from (fact 47).
    let names = columns.contains(nil) ? "SELECT \(values(of: "NEW").joined(separator: ","));" : ""
    return trigger(
      "before_update", event, when: guardian.joined(separator: " OR "),
      names + forgetAttempts + stash(where: conflicts.map { "\($0.condition) AND \(isOther)" }))
  }

  /// Forgets what ignored or failed attempts left in the stash.
  var forgetAttempts: String { unstash(where: "what=\(shape)") }

  /// Stashes rows of the table.
  ///
  /// Each condition is a query of its own where an index has expressions or a condition: only then
  /// is it certain that no row is computed that the index does not hold.
  private func stash(where conditions: [String]) -> String {
    let select =
      "SELECT \(shape),\(rowID(of: alias)),\(values(of: alias).joined(separator: ","))"
      + " FROM \(quotedTable) AS \(alias) WHERE "
    let rows =
      table.hasComputedIndex
      ? conditions.map { select + $0 }.joined(separator: " UNION ")
      : select + conditions.map { "(\($0))" }.joined(separator: " OR ")
    return "INSERT INTO _history_stash(what,row,\(Layout.slotNames(stored.count)))\(rows);"
  }

  /// The condition that a stashed row is no longer in the table.
  func isGone(_ stash: String) -> String {
    "NOT EXISTS(SELECT 1 FROM \(quotedTable) AS t WHERE \(isStashed("t", in: stash)))"
  }

  /// Appends a delete for what an insert displaced.
  ///
  /// It is a part of the trigger that appends the insert: every statement that a writer compiles
  /// pays for each trigger, and every row for each that runs.
  var displacedByInsert: String {
    if isReentrant { return displacedByInsertReentrantly }
    let isTaken = isStashed("NEW", in: "s")
    let condition =
      isSimple ? isTaken : "(\(isTaken) OR \(isGone("s")))"
    return appendStashed(
      .delete, count: stored.count, where: "s.what=\(shape) AND \(condition)")
      + (isSimple ? "" : forgetAttempts)
  }

  /// The trigger that appends a delete for what an update displaced.
  var afterUpdateDisplaced: String {
    if isReentrant { return afterUpdateReentrantly }
    if isSimple { return afterUpdateDisplacedSimply }
    let condition =
      "s.what=\(shape) AND NOT(\(isStashed("OLD", in: "s"))) AND (\(isTakenByUpdate("s"))"
      + " OR \(isGone("s")))"
    return trigger(
      "updated", "AFTER UPDATE", when: Self.isStashUsed,
      appendStashed(.delete, count: stored.count, where: condition) + forgetAttempts)
  }

  /// The condition that an update moved a row to where a stashed one was.
  func isTakenByUpdate(_ stash: String) -> String {
    "\(isStashed("NEW", in: stash)) AND NOT(\(isSame("NEW", "OLD")))"
  }

  /// The event of an update that may change the rowid of a simple table.
  private func rowIDUpdate(_ time: String) -> String {
    let key = table.keyColumns.first.map { " OF \(Identifier.quoted($0.name))" } ?? ""
    return "\(time) UPDATE\(key)"
  }

  private var beforeUpdateSimply: String {
    trigger(
      "before_update", rowIDUpdate("BEFORE"), when: "NOT(\(isSame("NEW", "OLD")))",
      forgetAttempts + stash(where: [isSame(alias, "NEW")]))
  }

  private var afterUpdateDisplacedSimply: String {
    trigger(
      "updated", rowIDUpdate("AFTER"), when: "NOT(\(isSame("NEW", "OLD")))",
      appendStashed(
        .delete, count: stored.count,
        where: "s.what=\(shape) AND \(isStashed("NEW", in: "s"))"))
  }

  /// Takes a deleted row out of the stash.
  var forgetDeleted: String {
    if isSimple { return forgetAttempts }
    let isStashed = "what=\(shape) AND \(isStashed("OLD", in: "_history_stash"))"
    guard cascades != nil else { return unstash(where: isStashed) }
    return unstash(where: "(\(isStashed)) OR (\(isKeyChangeOfOld))")
  }

  static var isStashUsed: String { "EXISTS(SELECT 1 FROM _history_stash)" }
}
