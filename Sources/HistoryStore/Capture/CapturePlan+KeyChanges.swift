import HistoryModel

/// Where a foreign key refers to its own table, ON UPDATE CASCADE runs the triggers of the rows
/// that follow before those of the row that was changed (fact 46). Replayed in that order the
/// followers would refer to a key that is not there yet. So a BEFORE trigger stashes the change of
/// the key, and whichever trigger fires first once the row has really changed appends it.
extension CapturePlan {
  /// The number under which key changes stand in the stash.
  private var keyChange: String { "-\(shape)" }

  /// The trigger that stashes a change of the key.
  var beforeKeyChange: String? {
    guard let cascades else { return nil }
    return trigger(
      "before_key", "BEFORE UPDATE", when: cascades,
      unstash(where: isKeyChangeOfOld) + flush
        + "INSERT INTO _history_stash(what,row,old,\(Layout.slotNames(2 * stored.count)))"
        + "VALUES(\(keyChange),\(rowID(of: "NEW")),\(rowID(of: "OLD")),"
        + (values(of: "NEW") + values(of: "OLD")).joined(separator: ",") + ");")
  }

  /// Keeps the older row of a stashed key change true while the row is changed in the middle of it:
  /// REPLACE can set off an action on the very row that is being updated.
  var followKeyChange: String {
    let values = values(of: "NEW").enumerated().map { "v\(stored.count + $0)=\($1)" }
    return "UPDATE _history_stash SET \(values.joined(separator: ",")) WHERE \(isKeyChangeOfOld);"
  }

  /// The condition that a stashed key change has happened.
  ///
  /// Its new row is there under the new key and its old row is not; an ignored or failed attempt
  /// leaves the table as it was.
  private func hasHappened(_ stash: String) -> String {
    let new = isStashed("t", in: stash)
    let key = stored.enumerated().filter { table.cascadingColumns.contains($1.folded) }
      .map { "t.\($1.sql) COLLATE BINARY IS \(stash).v\($0)" }
    let hasNew = "EXISTS(SELECT 1 FROM \(quotedTable) AS t WHERE \(SQLText.all([new] + key)))"
    let hasOld =
      "EXISTS(SELECT 1 FROM \(quotedTable) AS t WHERE "
      + "\(isStashed("t", in: stash, isOld: true)) AND NOT(\(new)))"
    return "\(stash).what=\(keyChange) AND \(hasNew) AND NOT \(hasOld)"
  }

  /// The condition that a key change moved a row to where a stashed one was.
  func isOvertaken(_ stash: String) -> String {
    let isSamePlace =
      "EXISTS(SELECT 1 FROM \(quotedTable) AS t WHERE \(isStashed("t", in: stash))"
      + " AND \(isStashed("t", in: "k")))"
    return "EXISTS(SELECT 1 FROM _history_stash AS k WHERE \(hasHappened("k"))"
      + " AND \(isSamePlace))"
  }

  /// Appends the stashed key changes that have happened.
  ///
  /// One that was refused stays until its row is changed or deleted, and cannot seem to have
  /// happened as long as that row is there.
  var flushKeyChanges: String {
    appendStashed(.update, count: 2 * stored.count, where: hasHappened("s"))
      + unstash(where: hasHappened("_history_stash"))
  }

  /// Forgets key changes of stashed rows that are gone: they were refused.
  func forgetKeyChanges(ofStashed condition: String) -> String {
    var isOfRow = "s.row=_history_stash.old"
    if case .key = table.identity {
      let places = stored.indices.filter { stored[$0].keyPlace != nil }
      isOfRow = SQLText.all(places.map { "s.v\($0) IS _history_stash.v\(stored.count + $0)" })
    }
    return unstash(
      where: "what=\(keyChange) AND EXISTS(SELECT 1 FROM _history_stash AS s"
        + " WHERE \(condition) AND \(isOfRow))")
  }

  /// The condition that a stashed key change was of the row at hand.
  var isKeyChangeOfOld: String {
    "what=\(keyChange) AND \(isStashed("OLD", in: "_history_stash", isOld: true))"
  }
}
