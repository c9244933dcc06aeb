import HistoryModel

/// Where foreign key actions, or triggers of the application, can come back to a table in the
/// middle of a statement on it, triggers of the table run between the BEFORE and the AFTER trigger
/// of another row (facts 46 and 48). Then a stashed row that is gone need not have been displaced
/// by the row at hand, and may be changed before it is displaced.
///
/// `old` of a stashed row is NULL while the row may be displaced. It is not while the row is being
/// updated or deleted by itself, which its own triggers tell; then it does not pass for displaced.
extension CapturePlan {
  /// Whether triggers of the table can run in the middle of a statement on it.
  var isReentrant: Bool { table.mayChangeWhileDisplaced }

  private var stash: String { "_history_stash" }

  /// The condition that a stashed row was displaced: it is gone, or another stands in its place.
  private func isDisplaced(_ stash: String, _ isTaken: ((String) -> String)?) -> String {
    var places = [isGone(stash)]
    if let isTaken { places.append(isTaken(stash)) }
    if cascades != nil { places.append(isOvertaken(stash)) }
    return "\(stash).what=\(shape) AND \(stash).old IS NULL"
      + " AND (\(places.joined(separator: " OR ")))"
  }

  /// Appends a delete for what was displaced, and takes it out of the stash.
  ///
  /// - Parameter isTaken: The condition that the row at hand stands in a stashed row's place.
  /// - Returns: SQL for a trigger's body.
  private func appendDisplaced(isTaken: ((String) -> String)? = nil) -> String {
    let displaced = isDisplaced("s", isTaken)
    return appendStashed(.delete, count: stored.count, where: displaced)
      + (cascades == nil ? "" : forgetKeyChanges(ofStashed: displaced))
      + unstash(where: isDisplaced(stash, isTaken))
  }

  /// Appends what has happened so far: deletes of displaced rows, then changes of keys.
  var flush: String { appendDisplaced() + (cascades == nil ? "" : flushKeyChanges) }

  /// Notes that a stashed row is being updated or deleted by itself.
  private var markBusy: String {
    "UPDATE _history_stash SET old=1 WHERE what=\(shape) AND old IS NULL"
      + " AND \(isStashed("OLD", in: stash));"
  }

  /// Appends a delete for what an insert displaced, and forgets all that it put an end to.
  var displacedByInsertReentrantly: String {
    let isTaken = { (stash: String) in self.isStashed("NEW", in: stash) }
    return appendDisplaced(isTaken: isTaken)
      + unstash(where: "what=\(shape) AND (\(isTaken(stash)) OR \(isGone(stash)))")
  }

  /// The trigger that comes before every other of an update.
  ///
  /// What was displaced until then is appended first, since the row at hand may stand in its place.
  var beforeMove: String? {
    guard isReentrant else { return nil }
    return trigger("before_move", "BEFORE UPDATE", when: Self.isStashUsed, flush + markBusy)
  }

  /// The trigger that comes before a delete: what follows from it runs before the trigger after it.
  var beforeDelete: String? {
    guard isReentrant else { return nil }
    return trigger(
      "before_delete", "BEFORE DELETE", when: Self.isStashUsed,
      flush + markBusy + (cascades == nil ? "" : unstash(where: isKeyChangeOfOld)))
  }

  /// The trigger that appends a delete for what an update displaced, and keeps the stash true.
  var afterUpdateReentrantly: String {
    let values = values(of: "NEW").enumerated().map { "v\($0)=\($1)" }
    return trigger(
      "updated", "AFTER UPDATE", when: Self.isStashUsed,
      appendDisplaced(isTaken: isTakenByUpdate)
        + (cascades == nil ? "" : flushKeyChanges + followKeyChange)
        + "UPDATE _history_stash SET old=NULL,row=\(rowID(of: "NEW")),"
        + "\(values.joined(separator: ",")) WHERE what=\(shape) AND old=1"
        + " AND \(isStashed("OLD", in: stash));")
  }

  /// Appends a delete for what was displaced before a foreign key action deletes a further row.
  ///
  /// That row may be the very one whose update displaced it; then no AFTER UPDATE trigger comes.
  var displacedBeforeDelete: String { isReentrant ? appendDisplaced() : "" }
}
