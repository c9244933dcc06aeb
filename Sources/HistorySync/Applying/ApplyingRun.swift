import HistoryModel
import HistoryStore
import SQLite

/// Applies the changes of one transaction, inside a write, and decides conflicts on the way.
struct ApplyingRun {
  private(set) var conflicts: [SyncConflict] = []
  private let transaction: HistoryTransaction
  private let replica: ReplicaStore
  private let tables: ReplicaTables
  private let policy: ConflictPolicy
  private let isParked: Bool
  private var parked = ParkedRows()
  /// What was decided of rows that the transaction changes more than once.
  private var decided: [RowPlace: SyncConflict.Outcome] = [:]

  init(
    _ transaction: HistoryTransaction, replica: ReplicaStore, tables: ReplicaTables,
    policy: ConflictPolicy, isParked: Bool
  ) {
    self.transaction = transaction
    self.replica = replica
    self.tables = tables
    self.policy = policy
    self.isParked = isParked
  }

  /// Applies all changes.
  ///
  /// - Throws: ``ConflictError`` in `source.undecided` as well, and what SQLite reports.
  mutating func apply(_ source: inout SourceState) throws {
    let mayReplace = policy == .source || policy == .newest
    let displaced =
      mayReplace && (isParked || !source.divergences.isEmpty) ? try DisplacedRows(replica) : nil
    for change in transaction.changes {
      let writer = try tables.writer(of: change)
      if source.isTrimmed { throw HistoryError.undecidable(change.table) }
      if !source.divergences.isEmpty, try !settle(change, &source) { continue }
      try tables.foreignKeys.note(change)
      if isParked {
        guard try parked.take(change, tables.rows(of: change)) else {
          try meetStranger(change)
          continue
        }
      } else if try writer.apply(change) == .missing, change.operation == .update {
        throw HistoryError.missingRow(change.table)
      }
    }
    // What was decided of others was not done either.
    let stopped = conflicts.filter { $0.outcome == .stopped }
    if let first = stopped.first {
      let error = ConflictError(
        conflicts: stopped, error: .conflicts(stopped.count, first.table, policy))
      source.undecided = error
      throw error.error
    }
    if isParked {
      do {
        try parked.write(replaces: policy == .source)
      } catch let error as SQLiteError where error.isCollision {
        throw HistoryError.taken(transaction.changes.first?.table ?? "")
      }
    }
    if let displaced { try report(displaced) }
  }

  /// Tells of rows here that had a unique value of the source's, and are gone now.
  private mutating func report(_ displaced: DisplacedRows) throws {
    let touched = Set(transaction.changes.flatMap { [$0.place, $0.movedPlace].compactMap { $0 } })
    for change in try displaced.found() {
      // Nobody asked what refers to them before they were gone.
      try tables.foreignKeys.note(change, isMade: true)
      if touched.contains(change.place) { continue }
      try report(change, .source, ours: change.before, to: change.place)
    }
  }

  /// A row that the history says nothing of stands where the source inserted one, or is missing.
  private mutating func meetStranger(_ change: HistoryChange) throws {
    guard change.operation == .insert else { throw HistoryError.missingRow(change.table) }
    let rows = try tables.rows(of: change)
    let outcome: SyncConflict.Outcome =
      switch policy {
      case .source: .source
      case .target: .target
      case .newest, .stop: .stopped
      }
    try report(change, outcome, ours: rows.namedRow(change.key.values), to: change.place)
    if outcome == .source { try parked.put(change, rows) }
  }
}

extension ApplyingRun {
  /// Decides what becomes of a change of a row that may differ here.
  ///
  /// - Returns: Whether the change is to be applied.
  private mutating func settle(
    _ change: HistoryChange, _ source: inout SourceState
  ) throws -> Bool {
    var isRefused = false
    for place in [change.place, change.movedPlace].compactMap({ $0 }) {
      guard let row = source.divergences[place] else { continue }
      let rows = try tables.rows(of: change)
      let ours = try rows.namedRow(place.key)
      if isAlike(change, ours, rows), !row.hasMoved {
        // It is no conflict, and yet neither has seen what the other did.
        isRefused = true
        continue
      }
      let outcome = decided[place] ?? decide(row, source.store)
      if decided[place] == nil { try report(change, outcome, ours: ours, to: place) }
      decided[place] = outcome
      guard outcome == .source else {
        isRefused = true
        continue
      }
      if row.hasMoved { throw HistoryError.movedHere(change.table) }
      try restore(row.base, at: place, ours: ours?.values, rows, change)
      if source.divergences.agree(at: place) {
        try replica.sync.keepBase(nil, at: place.text, of: source.store)
      }
    }
    guard isRefused else { return true }
    for (place, base) in source.divergences.follow(change, mustKeep: true) {
      try replica.sync.keepBase(base.text, at: place.text, of: source.store)
    }
    return false
  }

  /// Whether the row is here already what the source made of it.
  private func isAlike(_ change: HistoryChange, _ ours: StoredRow?, _ rows: TableRows) -> Bool {
    switch change.operation {
    case .delete: ours == nil
    case .insert: ours?.values == rows.row(nil, after: change)
    case .update: false
    }
  }

  private func decide(_ row: Divergences.Row, _ source: StoreIdentifier) -> SyncConflict.Outcome {
    switch policy {
    case .source: return .source
    case .target: return .target
    case .stop: return .stopped
    case .newest:
      guard let ours = row.entries.last, let a = ours.madeAt, let b = transaction.timestamp else {
        return .stopped
      }
      if a != b { return a < b ? .source : .target }
      let theirs = transaction.origin ?? source
      return ours.origin.bytes.lexicographicallyPrecedes(theirs.bytes) ? .source : .target
    }
  }

  private mutating func report(
    _ change: HistoryChange, _ outcome: SyncConflict.Outcome, ours: StoredRow?,
    to place: RowPlace
  ) throws {
    let conflict = SyncConflict(
      source: transaction.storeIdentifier, transaction: transaction.number,
      author: transaction.author, table: change.table, operation: change.operation,
      key: change.key, theirs: change.operation == .delete ? nil : change.after, ours: ours,
      outcome: outcome)
    conflicts.append(conflict)
    if outcome != .stopped {
      try replica.sync.keepConflict(
        conflict.line, at: place.text, of: transaction.storeIdentifier)
    }
  }

  /// Makes a row what the source had before its change.
  private func restore(
    _ base: RowBase, at place: RowPlace, ours: [StoredValue]?, _ rows: TableRows,
    _ change: HistoryChange
  ) throws {
    try tables.foreignKeys.note(rowAt: place)
    guard base.exists else {
      if ours != nil { try rows.delete(place.key) }
      return
    }
    // What is deleted next need not be made whole first.
    if change.operation == .delete { return }
    guard ours != nil || base.isComplete else { throw HistoryError.undecidable(change.table) }
    // Where only keys are captured the history does not tell what the row was like.
    if base.columns.isEmpty { throw HistoryError.undecidable(change.table) }
    let new = rows.columns.enumerated().map { column, name in
      base.columns[ChangeFilter.folded(name)] ?? ours?[column] ?? .null
    }
    if let ours {
      try rows.update(place.key, from: ours, to: new, replaces: true)
    } else {
      try rows.insert(new, place.key, replaces: true)
    }
  }
}
