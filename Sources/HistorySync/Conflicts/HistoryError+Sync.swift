package import HistoryModel

/// Every sentence that this module can say when something fails.
extension HistoryError {
  package static func ownIdentity(_ store: StoreIdentifier) -> HistoryError {
    HistoryError(
      .foreignToken, "source and target are the same store, \(store)",
      hint: "a copy that is to be a store of its own needs: historywatch track DB --new-identity")
  }

  static func noHello(_ kind: String) -> HistoryError {
    HistoryError(
      .usage, "the input does not begin like a stream: \(kind) where hello is expected",
      hint: "give it all that historywatch stream prints")
  }

  static func nothingCame() -> HistoryError {
    HistoryError(
      .temporary, "the input ended before a stream began",
      hint: "see what the program before the pipe said, or name the source with --from")
  }

  static func notALine(_ number: Int, _ error: LineError) -> HistoryError {
    HistoryError(
      .usage, "line \(number) is not one of a stream: \(error)",
      hint: "what came before it was applied; give it what historywatch stream prints, unchanged")
  }

  package static func missingPart(held: HistoryToken?) -> HistoryError {
    HistoryError(
      .discontinuity,
      held == nil
        ? "the stream does not begin with the history, and nothing of its store was applied yet"
        : "the stream begins after the position that is held: a part is missing",
      hint: held == nil
        ? "begin with the rows: with --resync, or from the lines of stream --snapshot initial"
        : "start it from the position that apply --position --store UUID prints")
  }

  static func noSnapshot() -> HistoryError {
    HistoryError(
      .usage, "the stream has no snapshot to compare with",
      hint: "give it the lines of: stream --snapshot initial")
  }

  static func snapshotAfter() -> HistoryError {
    HistoryError(
      .discontinuity,
      "the snapshot is later than what is held, and rows deleted since are not in it",
      hint: "compare with it: apply --resync; or go on from apply --position")
  }

  static func brokenOrder() -> HistoryError {
    HistoryError(
      .discontinuity, "the stream goes back, or mixes positions of several stores",
      hint: "give it the lines of one stream in their order")
  }

  static func partOfRun() -> HistoryError {
    HistoryError(
      .discontinuity, "the stream begins inside a run of untagged changes of which a part is held",
      hint: "start it from the position that apply --position --store UUID prints")
  }

  static func partByOtherRoad() -> HistoryError {
    HistoryError(
      .temporary, "a part of a run of untagged changes came by way of another store",
      hint: "follow that store on first; then this goes on by itself")
  }

  package static func gap(_ table: String) -> HistoryError {
    HistoryError(
      .historyTokenExpired, "changes of \(table) may be missing: the source tells of a gap",
      hint: "compare with a snapshot: apply --resync")
  }

  package static func sourceExpired(_ reason: ExpiryReason) -> HistoryError {
    let error = HistoryError.historyTokenExpired(oldest: nil, reason: reason)
    return HistoryError(
      .historyTokenExpired, "the source no longer has what follows: \(error.message)",
      hint: "compare with a snapshot: apply --resync")
  }

  static func sourceRestored() -> HistoryError {
    sourceExpired(.storeRestored)
  }

  static func targetRestored(_ path: String) -> HistoryError {
    HistoryError(
      .temporary, "\(path) was restored to an earlier state while it followed the source",
      hint: "nothing was applied since: run it again, from what is held now")
  }

  static func otherHistory() -> HistoryError {
    HistoryError(
      .historyTokenExpired,
      "the stream does not have the transaction that was applied last: the source was restored, or "
        + "the stream leaves out what it showed before",
      hint: "start it from the position that apply --position prints, or compare: apply --resync")
  }

  static func sourceFailed(_ message: String?) -> HistoryError {
    HistoryError(
      .temporary, "the stream ended with an error" + (message.map { ": \($0)" } ?? ""),
      hint: "what came before it was applied; start it again")
  }

  static func unfinished() -> HistoryError {
    HistoryError(
      .temporary, "the stream broke off inside a transaction, of which nothing was applied",
      hint: "start it again: it goes on from what was applied")
  }

  static func noTable(_ table: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "the target does not track a table \(table)",
      hint:
        "make it and track it, let apply --create --resync do so, or leave it out of the lines "
        + "with stream --table")
  }

  static func noValues(_ table: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "the source captures only the keys of \(table), and no values to apply",
      hint: "track it there with: historywatch track DB \(table) --capture changes")
  }

  static func nullInKey(_ table: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "a key of \(table) has NULL in it, so that its row cannot be told from others",
      hint: "declare the key NOT NULL in the source")
  }

  static func missingRow(_ table: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "a row of \(table) that the source changed is not here",
      hint: "compare with a snapshot: apply --resync")
  }

  static func undecidable(_ table: String) -> HistoryError {
    HistoryError(
      .conflict,
      "the history that would tell whether a row of \(table) was changed here too is not there",
      hint: "compare with a snapshot: apply --resync")
  }

  static func unreadableBase() -> HistoryError {
    HistoryError(
      .conflict, "what is kept here of a row that the source has otherwise cannot be read",
      hint: "compare with a snapshot: apply --resync")
  }

  static func unreadableSpool() -> HistoryError {
    HistoryError(
      .temporary, "a row of the snapshot, which was kept on disk meanwhile, cannot be read again",
      hint: "nothing was changed: start it again")
  }

  static func movedHere(_ table: String) -> HistoryError {
    HistoryError(
      .conflict, "a row of \(table) that the source changed was given another key here",
      hint: "let the target win with --on-conflict target, or compare with a snapshot: --resync")
  }

  static func conflicts(
    _ count: Int, _ table: String, _ policy: ConflictPolicy
  ) -> HistoryError {
    HistoryError(
      .conflict,
      "\(count) row\(count == 1 ? " was" : "s were") changed on both sides, in \(table): "
        + "nothing of the transaction was applied",
      hint: policy == .newest
        ? "which is newer cannot be told: decide with --on-conflict source or target"
        : "decide with --on-conflict source, target or newest")
  }

  static func taken(_ table: String) -> HistoryError {
    HistoryError(
      .conflict, "a unique value of \(table) is taken here by a row that the source has otherwise",
      hint: "change that row here; --on-conflict source lets the source win, and deletes the row")
  }

  static func foreignKey(_ table: String, _ parent: String) -> HistoryError {
    HistoryError(
      .tablesDiffer, "a row of \(table) would refer to one of \(parent) that is not here",
      hint:
        "nothing of the transaction was applied; track both tables in the source, and stream both; "
        + "or change the row here, if only the target has it; "
        + "or the source has such rows itself: see PRAGMA foreign_key_check there")
  }
}
