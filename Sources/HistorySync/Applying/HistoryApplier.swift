public import HistoryModel
import HistoryStore
import SQLite

/// Makes a store follow another one: writes the other's transactions into it, each whole, once, and
/// together with the position that it came from.
///
/// The store that is written to owns the position. So a crash anywhere loses and doubles nothing,
/// and what comes a second time is passed over. Applied transactions keep their author and say where
/// they were first made, so that stores can follow each other in both directions and by several
/// roads.
///
/// ```swift
/// let applier = try HistoryApplier(path: "b.db")
/// for transaction in page.transactions { try applier.apply(transaction) }
/// ```
public final class HistoryApplier {
  /// What became of a transaction.
  public enum Outcome: Sendable, Hashable {
    /// It was applied, with these conflicts.
    case applied(conflicts: [SyncConflict])
    /// It was here already, or was made here.
    case known
  }

  /// Who wins where both sides changed a row.
  public let policy: ConflictPolicy
  /// Whether tables of a store that is followed are made where they are missing.
  public let creates: Bool
  /// The store that is written to.
  public var storeIdentifier: StoreIdentifier { replica.identifier }

  let replica: ReplicaStore
  /// The rows of a snapshot, while they come.
  var spool: SnapshotSpool?
  private var source: SourceState?
  /// How far the store was found, or made, to hold of each source.
  private var reached: [StoreIdentifier: HistoryToken] = [:]
  private var tables: ReplicaTables?
  /// Whether references of a run of untagged changes, which may go on, are still to be checked.
  private var isInRun = false

  /// Opens a store that is to follow others.
  ///
  /// - Parameters:
  ///   - path: The database's path; it must be tracked.
  ///   - policy: Who wins where both sides changed a row.
  ///   - creates: Whether the database gets a history where it has none, and tables of a store that
  ///     is followed are made where they are missing, when their rows come.
  ///   - busyTimeout: How long to wait for other processes' locks, in milliseconds.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` or `notTracked`.
  public init(
    path: String, policy: ConflictPolicy = .stop, creates: Bool = false, busyTimeout: Int32 = 5000
  ) throws(HistoryError) {
    if creates {
      try Tracker(TrackedStore(path: path, access: .readWrite, busyTimeout: busyTimeout)).begin()
    }
    self.creates = creates
    replica = try ReplicaStore(path: path, busyTimeout: busyTimeout)
    self.policy = policy
  }

  /// The position up to which a store's history was applied.
  ///
  /// What is applied next has to follow it: should the target hold less by then, it was restored, and nothing
  /// is applied.
  ///
  /// - Parameter store: The store.
  /// - Returns: The position; nil when nothing of it was applied.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  public func position(of store: StoreIdentifier) throws(HistoryError) -> HistoryToken? {
    let token = try translating { try replica.sync.entry(of: store).token }
    reached[store] = token
    return token
  }

  /// What is kept of a store, inside a write.
  ///
  /// - Throws: `HistoryError` with code `temporary` when it is less than it was: then a part was lost that
  ///   nobody gives again by himself.
  private func entry(of store: StoreIdentifier) throws -> SyncTables.Entry {
    let entry = try replica.sync.entry(of: store)
    if let reached = reached[store], entry.token.map({ $0 < reached }) ?? true {
      throw HistoryError.targetRestored(replica.store.path)
    }
    return entry
  }

  /// The position after the last tagged transaction of a store that was applied; nil when there is none.
  func lastTagged(of store: StoreIdentifier) throws(HistoryError) -> HistoryToken? {
    try translating { try replica.sync.entry(of: store).tagged }
  }

  /// The position up to which a store's history was applied to another, which is not written to.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - path: The path of the one that follows it.
  /// - Returns: The position; nil when nothing of it was applied.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` or `notTracked`.
  public static func position(
    of store: StoreIdentifier, in path: String
  ) throws(HistoryError) -> HistoryToken? {
    // It says best what is wrong with a path. Not only to read, though nothing is written: what a
    // killed follower left in a journal has to be undone first.
    _ = try TrackedStore(path: path, access: .readWrite).state()
    return try HistoryError.translating(at: path) {
      let connection = try Connection(path: path, access: .readWrite)
      connection.setBusyTimeout(milliseconds: 5000)
      let isThere = try connection.row("SELECT 1 FROM sqlite_schema WHERE name = '_history_sync'")
      guard isThere != nil else { return nil }
      let row = try connection.row(
        "SELECT token FROM _history_sync WHERE store = ?", .text(store.description))
      return try row?[0].text.map { try HistoryToken($0) }
    }
  }

  /// Applies the next transaction of a store's history.
  ///
  /// - Parameter transaction: The transaction, with all its changes.
  /// - Returns: What became of it.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `conflict` where nobody decided, or
  ///   `tablesDiffer` where it cannot be applied; nothing of it was applied then. ``ConflictError``
  ///   says which rows.
  /// - Complexity: O(*n* log *m*) for *n* changes in tables of *m* rows, and once for each source
  ///   O(*h*) for the *h* rows of history since both agreed.
  @discardableResult
  public func apply(_ transaction: HistoryTransaction) throws -> Outcome {
    do {
      return try apply(transaction, isParked: false)
    } catch let error as SQLiteError where error.isCollision {
      return try apply(transaction, isParked: true)
    } catch let error as HistoryError {
      guard let cause = error.cause as? SQLiteError, cause.isCollision else { throw error }
      return try apply(transaction, isParked: true)
    }
  }

  /// Moves the position of a store on to where nothing matched.
  ///
  /// - Parameter token: The position.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written.
  public func advance(to token: HistoryToken) throws(HistoryError) {
    try replica.write {
      var entry = try entry(of: token.storeIdentifier)
      if let held = entry.token, held >= token { return ((), nil) }
      if isInRun {
        try tables?.foreignKeys.check()
        isInRun = false
      }
      entry.token = token
      entry.applied = max(entry.applied, token.sequence)
      entry.parts = ""
      try replica.sync.keep(entry, of: token.storeIdentifier)
      return ((), nil)
    }
    reach(token)
  }

  /// The store holds everything up to a position, now that it is committed.
  private func reach(_ token: HistoryToken) {
    reached[token.storeIdentifier] = max(reached[token.storeIdentifier] ?? token, token)
  }

  /// The store holds the rows of a source as they were at a position, whatever it held before.
  func begin(at token: HistoryToken) {
    source = nil
    reached[token.storeIdentifier] = token
  }

  /// Checks what a run of untagged changes, which may come in parts, left to be checked.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with code `tablesDiffer` when a row refers to one that
  ///   is not there.
  public func finish() throws(HistoryError) {
    guard isInRun else { return }
    isInRun = false
    try translating { try tables?.foreignKeys.check() }
  }

  /// The lines of the conflicts that were not acknowledged yet, oldest first.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  public func conflictLines() throws(HistoryError) -> [String] {
    try translating { try replica.sync.conflicts() }
  }

  /// Forgets the conflicts that were kept.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be written.
  public func acknowledgeConflicts() throws(HistoryError) {
    if try conflictLines().isEmpty { return }
    try replica.write { (try replica.sync.acknowledgeConflicts(), nil) }
  }

  func translating<T>(_ body: () throws -> T) throws(HistoryError) -> T {
    try HistoryError.translating(at: replica.store.path, body)
  }
}

extension HistoryApplier {
  private func apply(_ transaction: HistoryTransaction, isParked: Bool) throws -> Outcome {
    let from = transaction.storeIdentifier
    guard from != replica.identifier else { throw HistoryError.ownIdentity(from) }
    var source = try self.source(from)
    self.source = nil
    do {
      let outcome = try replica.write {
        try apply(transaction, &source, isParked: isParked)
      }
      source.committed(replica.head)
      self.source = source
      reach(transaction.token)
      isInRun = tables?.foreignKeys.hasTouched ?? false
      return outcome
    } catch {
      // What was taken in may have been rolled back: it is read again.
      tables?.foreignKeys.forget()
      if let undecided = source.undecided { throw undecided }
      throw error
    }
  }

  /// What is known of a source, read from the store where another one was followed last.
  private func source(_ store: StoreIdentifier) throws -> SourceState {
    if let source, source.store == store { return source }
    return try translating { try SourceState(store, replica) }
  }

  private func apply(
    _ transaction: HistoryTransaction, _ source: inout SourceState, isParked: Bool
  ) throws -> (Outcome, ReplicaStore.Tag?) {
    let token = transaction.token
    var entry = try entry(of: source.store)
    if let held = entry.token, token <= held { return (.known, nil) }
    var run = UntaggedParts(entry.parts)
    let transaction = try run.take(transaction, after: entry.token)
    entry.parts = run.text
    try source.catchUp(replica)
    let tables = try currentTables()
    let origin = transaction.origin ?? source.store
    let made = transaction.origin == nil ? token.sequence : transaction.originSequence ?? 0
    let begun =
      transaction.origin == nil
      ? max(transaction.number - 1, entry.token?.sequence ?? 0)
      : source.divergences.seen[origin] ?? 0
    entry.token = token
    if transaction.isTagged { entry.tagged = token }
    if origin != source.store {
      for place in source.divergences.sees(made, of: origin) {
        try replica.sync.keepBase(nil, at: place.text, of: source.store)
      }
      try replica.sync.keepSeen(made, of: origin, by: source.store)
    }
    let applied =
      origin == source.store ? entry.applied : try replica.sync.entry(of: origin).applied
    let isKnown = origin == replica.identifier || applied >= made
    // Which of its changes came by the other road is known only there.
    if !isKnown, !transaction.isTagged, applied > begun { throw HistoryError.partByOtherRoad() }
    var conflicts: [SyncConflict] = []
    if !isKnown {
      if isInRun, transaction.isTagged {
        try tables.foreignKeys.check()
      }
      var changes = ApplyingRun(
        transaction, replica: replica, tables: tables, policy: policy, isParked: isParked)
      try changes.apply(&source)
      conflicts = changes.conflicts
      if transaction.isTagged { try tables.foreignKeys.check() }
    } else if !source.divergences.isEmpty {
      for change in transaction.changes {
        for (place, base) in source.divergences.follow(change, mustKeep: false) {
          try replica.sync.keepBase(base.text, at: place.text, of: source.store)
        }
      }
    }
    // What was trimmed before it could tell of differences stays unknown until the rows are compared.
    if !source.isTrimmed {
      // The tag of what was applied comes next, and differs from nothing.
      entry.agreed = source.divergences.agreed(head: try replica.newest() + (isKnown ? 0 : 1))
    }
    if origin == source.store { entry.applied = max(entry.applied, made) }
    try replica.sync.keep(entry, of: source.store)
    guard !isKnown else { return (.known, nil) }
    if origin != source.store {
      var first = try replica.sync.entry(of: origin)
      first.applied = max(first.applied, made)
      try replica.sync.keep(first, of: origin)
    }
    let tag = ReplicaStore.Tag(
      record: transaction.record, origin: (origin, made), source: source.store)
    return (.applied(conflicts: conflicts), tag)
  }

  func currentTables() throws -> ReplicaTables {
    if let tables, tables.schema == replica.schema { return tables }
    let new = try ReplicaTables(replica)
    tables = new
    return new
  }
}

extension SQLiteError {
  /// Whether another row stands in the way.
  var isCollision: Bool {
    [.constraintPrimaryKey, .constraintUnique, .constraintRowID].contains(code)
  }
}
