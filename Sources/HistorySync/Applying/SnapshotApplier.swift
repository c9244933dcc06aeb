public import HistoryModel
import HistoryStore
import SQLite

/// What writing the rows of a snapshot has changed.
public struct SnapshotOutcome: Sendable, Hashable {
  /// Rows that were not here.
  public internal(set) var inserted = 0
  /// Rows that differed.
  public internal(set) var updated = 0
  /// Rows that had come from the source, which has them no longer.
  public internal(set) var deleted = 0
  /// Rows that only the target has, and that are left.
  public internal(set) var kept = 0
  /// Rows that only the target had, and that were deleted because a row of the source has one of
  /// their unique values.
  public internal(set) var displaced = 0
}

/// Writes the rows of a snapshot, inside a write.
struct SnapshotApplier {
  let spool: SnapshotSpool
  let replica: ReplicaStore
  let tables: ReplicaTables
  let policy: ConflictPolicy
  /// Whether what differs is fixed, and what the source deleted is deleted.
  let resynchronizes: Bool

  /// Writes all rows.
  func write() throws -> SnapshotOutcome {
    var outcome = SnapshotOutcome()
    // The tables that may have lost a row which others refer to.
    var lossy: Set<String> = []
    if resynchronizes { lossy = try deleteStale(&outcome) }
    let replaces = resynchronizes || policy == .source
    let displaced = replaces ? try DisplacedRows(replica) : nil
    var seen: Set<String> = []
    try spool.forEach { table, place, columns in
      let rows = try tables.rows(of: place.table, named: table)
      if seen.insert(place.table).inserted { try requireSameColumns(rows, table, columns) }
      let new = rows.columns.map { columns[ChangeFilter.folded($0)] ?? .null }
      guard let old = try rows.row(place.key) else {
        try rows.insert(new, place.key, replaces: replaces)
        outcome.inserted += 1
        return
      }
      guard old != new else { return }
      if replaces {
        try rows.update(place.key, from: old, to: new, replaces: true)
        lossy.insert(place.table)
        outcome.updated += 1
      } else if policy == .target {
        outcome.kept += 1
      } else {
        throw HistoryError.differentRow(table)
      }
    }
    if let displaced {
      let found = try displaced.found()
      lossy.formUnion(found.map(\.place.table))
      outcome.displaced = try found.count { try !spool.contains($0.place) }
      if resynchronizes { outcome.kept -= outcome.displaced }
    }
    for table in seen.union(tables.foreignKeys.children(of: lossy)) {
      guard let broken = try replica.connection.row("PRAGMA foreign_key_check(\(quoted(table)))")
      else { continue }
      throw HistoryError.foreignKey(broken[0].text ?? table, broken[2].text ?? "")
    }
    return outcome
  }

  private func quoted(_ table: String) -> String { Identifier.quoted(table) }

  private func requireSameColumns(
    _ rows: TableRows, _ table: String, _ columns: [String: StoredValue]
  ) throws {
    let own = rows.allColumns
    let missing = columns.keys.filter { name in
      !own.contains { ChangeFilter.folded($0) == name }
    }
    let extra = own.filter { columns[ChangeFilter.folded($0)] == nil }
    guard missing.isEmpty, extra.isEmpty else {
      throw HistoryError.otherColumns(table, missing: missing.sorted(), extra: extra)
    }
  }

  /// Deletes the rows that the source has no longer: those that came from it.
  ///
  /// - Returns: The folded names of their tables.
  private func deleteStale(_ outcome: inout SnapshotOutcome) throws -> Set<String> {
    var origins: [RowPlace: Bool] = [:]
    for table in replica.tables.values {
      let rows = try tables.rows(of: ChangeFilter.folded(table.name), named: table.name)
      try rows.forEachKey { key in
        let place = RowPlace(table: ChangeFilter.folded(table.name), key: key)
        if try !spool.contains(place) { origins[place] = false }
      }
    }
    guard !origins.isEmpty else { return [] }
    var lossy: Set<String> = []
    try readOrigins(&origins)
    for (place, isTheirs) in origins {
      guard isTheirs else {
        outcome.kept += 1
        continue
      }
      try tables.rows(of: place.table, named: place.table).delete(place.key)
      lossy.insert(place.table)
      outcome.deleted += 1
    }
    return lossy
  }

  /// Reads in our own history which of the rows were inserted by the source.
  private func readOrigins(_ origins: inout [RowPlace: Bool]) throws {
    let source = spool.token.storeIdentifier
    let reader = try HistoryReader(replica.store, after: replica.position(at: 0))
    var reading = ReadingState.more
    var found = origins
    while reading == .more {
      reading = try reader.readInTransaction { item in
        guard case .change(let change, _, let record) = item else { return .goOn }
        let isTheirs = record.origin == source || record.arrival?.source == source
        let table = ChangeFilter.folded(change.shape.table)
        let isMove = change.operation == .update
        guard change.operation == .insert || isMove, let row = change.after else { return .goOn }
        let place = RowPlace(
          table: table, key: change.shape.keyPlaces.map { reader.values.value(at: row + $0) })
        if isMove,
          !change.shape.keyPlaces.contains(where: { change.differs(at: $0, in: reader.values) })
        {
          return .goOn
        }
        if found[place] != nil { found[place] = isTheirs }
        return .goOn
      }
    }
    origins = found
  }
}

extension HistoryError {
  static func differentRow(_ table: String) -> HistoryError {
    HistoryError(
      .conflict, "a row of \(table) is here already and differs from the snapshot's",
      hint: "let the source win with --on-conflict source, or the target with target")
  }
}

extension HistoryApplier {
  /// Begins to take in the rows of a store as they are at a position.
  ///
  /// Tables that are missing are made first, where that is wanted.
  ///
  /// - Parameters:
  ///   - token: The position.
  ///   - tables: The tables that the rows are in, as far as they are known.
  /// - Throws: ``/HistoryModel/HistoryError`` when the rows cannot be kept, or with code
  ///   `tablesDiffer` when the tables cannot be made.
  public func beginSnapshot(
    at token: HistoryToken, tables: [TableDefinition] = []
  ) throws(HistoryError) {
    guard token.storeIdentifier != storeIdentifier else { throw .ownIdentity(storeIdentifier) }
    if creates { _ = try replica.make(tables) }
    spool = try translating { try SnapshotSpool(token, replica.connection) }
  }

  /// Takes in one of the rows, which is not written yet.
  ///
  /// - Parameters:
  ///   - table: The table that it is in.
  ///   - key: Its key.
  ///   - values: Its columns.
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot be kept, or its key has NULL in it.
  public func takeRow(
    table: String, key: StoredRow, values: StoredRow
  ) throws(HistoryError) {
    try translating { try spool?.add(table: table, key: key, values: values) }
  }

  /// Takes in one of the rows as a ``/HistoryStore/RowSnapshot`` gives it.
  ///
  /// - Parameters:
  ///   - shape: The table's shape.
  ///   - values: The row.
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot be kept, or its key has NULL in it.
  package func takeRow(shape: TableShape, values: CellBuffer) throws(HistoryError) {
    let cells = StoredRow.Cells(values)
    let names = shape.columns.map(\.name)
    try takeRow(
      table: shape.table,
      key: StoredRow(cells, names: names, start: 0, places: shape.keyPlaces),
      values: StoredRow(cells, names: names, start: 0, places: shape.imagePlaces))
  }

  /// Writes the rows that were taken in, with the position, in one transaction.
  ///
  /// - Parameter resynchronizes: Whether rows that differ are fixed, and rows that came from the
  ///   source and are not there any more are deleted. Rows that only the target has and made itself
  ///   are kept. Otherwise nothing of the source may have been applied before.
  /// - Returns: What was changed.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `conflict` or `tablesDiffer`; nothing was
  ///   changed then.
  /// - Complexity: O(*n* log *n*) for *n* rows in both stores.
  public func finishSnapshot(resynchronizes: Bool) throws(HistoryError) -> SnapshotOutcome {
    guard let spool else { return SnapshotOutcome() }
    self.spool = nil
    let store = spool.token.storeIdentifier
    let outcome = try replica.write { () throws -> (SnapshotOutcome, ReplicaStore.Tag?) in
      let outcome = try SnapshotApplier(
        spool: spool, replica: replica, tables: currentTables(), policy: policy,
        resynchronizes: resynchronizes
      ).write()
      var entry = SyncTables.Entry()
      entry.token = spool.token
      entry.applied = spool.token.sequence
      entry.agreed = try replica.newest() + 1
      try replica.sync.keep(entry, of: store)
      try replica.sync.forgetBases(of: store)
      let record = TransactionRecord(number: spool.token.sequence)
      return (
        outcome,
        ReplicaStore.Tag(record: record, origin: (store, spool.token.sequence), source: store)
      )
    }
    begin(at: spool.token)
    try translating { try spool.drop() }
    return outcome
  }
}
