public import HistoryModel
import SQLite

/// One thing that a check found.
public struct CheckFinding: Sendable, Hashable {
  /// Whether somebody has to do something; otherwise it is a note.
  public let needsAttention: Bool
  /// What was found, in one sentence.
  public let sentence: String
  /// What to do about it.
  public let hint: String?

  /// Makes a finding.
  ///
  /// - Parameters:
  ///   - needsAttention: Whether somebody has to do something.
  ///   - sentence: What was found.
  ///   - hint: What to do about it.
  public init(needsAttention: Bool, sentence: String, hint: String?) {
    self.needsAttention = needsAttention
    self.sentence = sentence
    self.hint = hint
  }
}

extension TrackedStore {
  /// Verifies what capture stands on: triggers, tags, journal mode, the SQLite library.
  ///
  /// Nothing is written.
  ///
  /// - Returns: What was found, what needs attention first.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `notTracked` when there is no history.
  /// - Complexity: O(*n*) for *n* objects in the schema, and rows since the last tag.
  public func check() throws(HistoryError) -> [CheckFinding] {
    var findings: [CheckFinding] = []
    let tables = try tables(isThorough: true)
    for table in tables {
      for drift in table.drift {
        findings.append(
          CheckFinding(
            needsAttention: true, sentence: "\(table.table): \(drift)",
            hint: "renew its capture with: historywatch check --repair"))
      }
    }
    let missing = try HistoryError.translating(at: path) { try Layout.missing(in: connection) }
    for (name, _) in missing {
      findings.append(
        CheckFinding(
          needsAttention: true, sentence: "\(name) was dropped: writing to the store may fail",
          hint: "make it anew with: historywatch check --repair"))
    }
    if try hasOpenTag() {
      findings.append(
        CheckFinding(
          needsAttention: true,
          sentence: "a tag was left open: its transaction counts as untagged",
          hint: "its writer must end with DELETE FROM history_author; --repair discards the tag"))
    }
    let untracked = try untrackedTables(besides: Set(tables.map(\.table)))
    if !untracked.isEmpty {
      findings.append(
        CheckFinding(
          needsAttention: false,
          sentence: untracked.count == 1
            ? "\(untracked[0]) is not tracked: its changes are not kept"
            : "\(untracked.count) tables are not tracked: \(Self.list(untracked))",
          hint: "track what should be with: historywatch track"))
    }
    let journal = try HistoryError.translating(at: path) {
      try connection.row("PRAGMA journal_mode")?[0].text ?? "unknown"
    }
    if journal != "wal" {
      findings.append(
        CheckFinding(
          needsAttention: false,
          sentence: "the journal mode is \(journal): readers and writers meet each other's locks",
          hint: "writers need a busy timeout; PRAGMA journal_mode=WAL avoids it"))
    }
    return findings + (journal == "wal" ? Self.libraryFaults : [])
  }

  private static func list(_ names: [String]) -> String {
    names.count <= 5
      ? names.joined(separator: ", ")
      : names.prefix(4).joined(separator: ", ") + " and \(names.count - 4) more"
  }

  /// The ordinary tables that are not being captured, in the order of their making.
  private func untrackedTables(
    besides tracked: Set<String>
  ) throws(HistoryError) -> [String] {
    try HistoryError.translating(at: path) {
      try SchemaReader(connection).names().compactMap { name, kind in
        if case .ordinary = kind, !tracked.contains(name) { return name }
        return nil
      }
    }
  }

  /// Whether the newest tag was opened and never closed.
  func hasOpenTag() throws(HistoryError) -> Bool {
    try HistoryError.translating(at: path) {
      let mark = try connection.row(
        """
        SELECT what FROM _history_change WHERE what IN (1, 2, 3) ORDER BY sequence DESC LIMIT 1
        """)
      return mark?[0].integer == Layout.Mark.opened
    }
  }

  /// Discards an open tag, so that nothing later can seem to close it.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written.
  public func discardOpenTag() throws(HistoryError) -> Bool {
    // The way back to the newest tag may be long, and others are to write meanwhile.
    guard try hasOpenTag() else { return false }
    return try HistoryError.translating(at: path) {
      try connection.transaction(.immediate) {
        guard try hasOpenTag() else { return false }
        // A tag of no row: it discards what is open, and shows nothing itself.
        try TagRow(author: "historywatch", first: newest() + 1).append(to: connection)
        return true
      }
    }
  }

  /// Faults of the SQLite library in use that matter to a shared store.
  private static var libraryFaults: [CheckFinding] {
    let version = SQLiteLibrary.versionNumber
    guard version >= 3_007_000, version <= 3_051_002 else { return [] }
    return [
      CheckFinding(
        needsAttention: false,
        sentence:
          "SQLite \(SQLiteLibrary.version) has a rare fault when two processes checkpoint and write at the same moment",
        hint: "see https://www.sqlite.org/wal.html#walresetbug; 3.51.3 and later do not have it")
    ]
  }
}
