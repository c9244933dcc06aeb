import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// Takes one store through a plan: copy, stages, verification, and the marker last.
///
/// Synchronous, on whichever thread calls it. Whoever calls has the ``OwnerLock``.
struct StoreMigrator {
  let neighbours: StoreNeighbours
  let plan: MigrationPlan
  let options: MigrationOptions
  let mustStop: @Sendable () -> Bool
  let tell: (MigrationEvent) -> Void
  /// The time of day, in milliseconds since 1970.
  let now: () -> Int64

  private var path: String { neighbours.database }

  /// Migrates the store as far as the plan goes, and makes it ready.
  ///
  /// - Returns: What was done.
  /// - Throws: ``/HistoryModel/HistoryError``. The store then has a whole version of the plan; it is ready only if
  ///   nothing was changed.
  func run() throws(HistoryError) -> MigrationOutcome {
    do {
      let connection = try Connection(path: path)
      connection.setBusyTimeout(milliseconds: options.busyTimeout)
      if options.mode == .sideBySide {
        try SideBySide(neighbours: neighbours).takeAlone(connection)
      }
      let outcome = try connection.stopping(when: mustStop) { try migrate(connection) }
      try connection.close()
      return outcome
    } catch let error as HistoryError {
      throw error
    } catch let error as SQLiteError where error.code.primary == .interrupt {
      throw .migrationStopped(path)
    } catch let error as SQLiteError {
      throw HistoryError(error, at: path)
    } catch {
      throw HistoryError(unforeseen: error)
    }
  }

  private func migrate(_ connection: Connection) throws -> MigrationOutcome {
    let applied = try connection.transaction(.deferred) { try AppliedVersions(connection) }
    let pending = try applied.pending(of: plan, path)
    try SideBySide(neighbours: neighbours).removeLeftovers(connection)
    var outcome = MigrationOutcome(from: applied.current, to: plan.latest)
    guard let first = pending.first else {
      if try !isReady(connection) { try makeReady(connection, applied) }
      tell(.ready(schema: plan.latest))
      return outcome
    }
    let time = CalendarTime(milliseconds: now())
    let copies = StoreCopies(neighbours: neighbours)
    copies.removeLeftovers()
    let copy = copies.path(before: first, at: time)
    switch options.mode {
    case .inPlace:
      let before = try self.copy(connection, to: copy)
      outcome.copy = copy
      // Now and not once all went well: what fails at every start would fill the disk.
      outcome.removedCopies = copies.prune(keeping: options.copiesKept, besides: copy)
      tell(.copied(copy))
      var running: SchemaVersion?
      do {
        try clearMarker()
        try apply(pending, to: path, before, &outcome, &running)
        try finish(connection)
      } catch {
        throw failure(error, in: running, outcome)
      }
    case .sideBySide:
      try migrateBeside(connection, pending, copy, &outcome)
      outcome.removedCopies = copies.prune(keeping: options.copiesKept, besides: copy)
    }
    return outcome
  }

  /// Applies stages to a copy, and puts that in the store's place.
  private func migrateBeside(
    _ connection: Connection, _ pending: [SchemaVersion], _ copy: String,
    _ outcome: inout MigrationOutcome
  ) throws {
    let beside = SideBySide(neighbours: neighbours)
    try beside.removeUnfinished()
    let before = try self.copy(connection, to: beside.next)
    var running: SchemaVersion?
    do {
      do {
        try clearMarker()
        try apply(pending, to: beside.next, before, &outcome, &running)
        try beside.swap(connection, keeping: copy)
      } catch {
        beside.giveUp(connection)
        throw error
      }
      outcome.copy = copy
      tell(.copied(copy))
      // The old file's lock has done its duty.
      try connection.close()
      let store = try Connection(path: path)
      try finish(store)
      try store.close()
    } catch {
      throw failure(error, in: running, outcome)
    }
  }

  private func clearMarker() throws {
    try ReadinessMarker.clear(neighbours)
    tell(.cleared)
  }

  /// Applies stages one by one, and verifies what has become of the store.
  ///
  /// Where it fails `running` is the version whose stage did.
  private func apply(
    _ pending: [SchemaVersion], to file: String, _ before: [String: Int64],
    _ outcome: inout MigrationOutcome, _ running: inout SchemaVersion?
  ) throws {
    var previous = outcome.from
    for version in pending {
      running = version
      let stage = StageRun(version: version, path: path, author: options.author, tell: tell)
      // On a connection of its own: what a stage leaves there, such as temporary tables and
      // pragmas, is nothing to the next, which another owner may have to run alone.
      outcome.notices += try onConnection(to: file) { connection, limits in
        try stage.run(after: previous, of: plan, on: connection, limits)
      }
      tell(.applied(version: version.number, name: version.name))
      outcome.applied.append(version.title)
      previous = version.number
    }
    running = nil
    let after = try onConnection(to: file) { connection, _ in try verify(connection) }
    outcome.rows = RowCount.compare(before, after)
  }

  private func onConnection<T>(
    to file: String, _ body: (Connection, BodyLimits) throws -> T
  ) throws -> T {
    let connection = try Connection(path: file)
    connection.setBusyTimeout(milliseconds: options.busyTimeout)
    let limits = BodyLimits()
    connection.setAuthorizer { limits.decide($0) }
    let result = try connection.stopping(when: mustStop) { try body(connection, limits) }
    try connection.close()
    return result
  }

  /// Whether the marker is there and says what the store says.
  private func isReady(_ connection: Connection) throws -> Bool {
    // A marker that cannot be understood is written anew.
    guard let marker = try? ReadinessMarker.read(neighbours), marker.schema == plan.latest else {
      return false
    }
    return try connection.transaction(.deferred) {
      try StoreSeal.fault(of: marker, in: connection) == nil
    }
  }

  /// Makes a store ready to which nothing has to be done: its owner crashed before the marker, or
  /// somebody else has changed the tables.
  private func makeReady(_ connection: Connection, _ applied: AppliedVersions) throws {
    try clearMarker()
    _ = try verify(connection)
    if try !connection.transaction(.deferred, { try StoreSeal.isCurrent(connection) }) {
      try connection.transaction(.immediate) {
        try StoreSeal.prepare(BoundaryTable(connection))
        try applied.adopt(plan, in: connection)
        // The tables of the boundary are new to the schema that capture was made for.
        try MigratingCapture(connection, author: options.author, context: nil)?.finish()
        try StoreSeal.keep(connection)
      }
    }
    try finish(connection)
  }

  /// Copies the store as it is.
  ///
  /// - Returns: How many rows its tables have.
  private func copy(_ connection: Connection, to path: String) throws -> [String: Int64] {
    try connection.transaction(.deferred) {
      let counts = try RowCount.count(connection)
      try StoreCopies.copy(connection, to: path, stopping: mustStop) { remaining, total in
        tell(.copying(remaining: remaining, total: total))
      }
      return counts
    }
  }

  private func verify(_ connection: Connection) throws -> [String: Int64] {
    tell(.verifying)
    return try connection.transaction(.deferred) {
      try StoreProof.checkIntegrity(connection, of: path)
      try StoreProof.checkForeignKeys(connection)
      return try RowCount.count(connection)
    }
  }

  private func finish(_ connection: Connection) throws {
    tell(.finishing)
    let identity = try connection.transaction(.deferred) {
      try BoundaryTable(connection).identity()
    }
    guard let identity else { throw HistoryError.storeDamaged(path) }
    try ReadinessMarker(
      store: identity, schema: plan.latest, writer: options.writer,
      time: CalendarTime(milliseconds: now())
    ).write(neighbours)
    tell(.ready(schema: plan.latest))
  }

  /// What failed, with where the store stands and where the copy is.
  private func failure(
    _ error: any Error, in version: SchemaVersion?, _ outcome: MigrationOutcome
  ) -> HistoryError {
    let cause: HistoryError
    switch error {
    case let error as HistoryError: cause = error
    case let error as SQLiteError where error.code.primary == .interrupt:
      cause = .migrationStopped(path)
    case let error as SQLiteError: cause = HistoryError(error, at: path)
    default: cause = HistoryError(unforeseen: error)
    }
    // Beside the store nothing has happened to the store itself before it is a copy.
    let isChanged = options.mode == .inPlace || outcome.copy != nil
    let applied = isChanged ? outcome.applied.last : nil
    return .migrationFailed(
      cause, in: version?.title, last: applied.map { "at version \($0)" } ?? "as it was",
      copy: outcome.copy)
  }
}
