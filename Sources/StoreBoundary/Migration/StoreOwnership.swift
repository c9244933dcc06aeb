import EventLoop
package import HistoryModel
import HistoryStore
import SQLite

/// The right to change a store's schema, and the use of it.
///
/// Whoever lets go of it lets the next owner in.
package final class StoreOwnership {
  private let neighbours: StoreNeighbours
  private let lock: OwnerLock
  /// What was done to the store when it was taken.
  package let outcome: MigrationOutcome

  private init(_ neighbours: StoreNeighbours, _ lock: OwnerLock, _ outcome: MigrationOutcome) {
    self.neighbours = neighbours
    self.lock = lock
    self.outcome = outcome
  }

  /// Takes a store, brings it to the end of a plan, and makes it ready.
  ///
  /// It blocks the calling thread for as long as that takes.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - plan: All versions of its schema.
  ///   - options: How to go about it.
  ///   - mustStop: Asked all the time, from the calling thread.
  ///   - tell: Told how far it is.
  /// - Returns: The ownership.
  /// - Throws: ``/HistoryModel/HistoryError``. Whatever fails, the store has a whole version of the plan.
  package static func take(
    _ path: String, plan: MigrationPlan, options: MigrationOptions,
    stopping mustStop: @escaping @Sendable () -> Bool = { false },
    telling tell: @escaping (MigrationEvent) -> Void = { _ in }
  ) throws(HistoryError) -> StoreOwnership {
    let neighbours = StoreNeighbours(of: path)
    if let file = DatabaseFile(path: path) {
      guard file.kind == .file else { throw .notAStore(path) }
    } else if !options.createsStore {
      throw .noStoreToMigrate(path)
    }
    do throws(DurableFile.Failure) {
      try FileNames.checkDirectory(neighbours.directory)
    } catch {
      throw .directoryUnusable(neighbours.directory, error)
    }
    let lock = try OwnerLock(neighbours, owner: options.writer)
    // Looked at once more: a former owner may have made it a moment ago.
    if DatabaseFile(path: neighbours.database) == nil { try create(neighbours) }
    let migrator = StoreMigrator(
      neighbours: neighbours, plan: plan, options: options, mustStop: mustStop, tell: tell,
      now: { WallClock.milliseconds })
    return StoreOwnership(neighbours, lock, try migrator.run())
  }

  /// Makes an empty store where there is none.
  ///
  /// - Parameter path: The store's path.
  /// - Throws: `HistoryError` when it cannot be made, or when there are signs that one was here.
  package static func makeStore(at path: String) throws(HistoryError) {
    if DatabaseFile(path: path) == nil { try create(StoreNeighbours(of: path)) }
  }

  /// Makes an empty store that only this user may read, with a write-ahead log.
  private static func create(_ neighbours: StoreNeighbours) throws(HistoryError) {
    let leftovers = ["-wal", "-journal"].map { neighbours.database + $0 }
    // A new one would be taken for the store that has been moved aside.
    if SetAside.isUnderWay(neighbours) { throw .halfReplaced(neighbours.database) }
    // Others were told that there is a store: it was lost, and an empty one would hide that.
    if FileNames.isTaken(neighbours.marker) { throw .markerWithoutStore(neighbours) }
    // They belong to a store that was here, and would be applied to the new one.
    if let leftover = leftovers.first(where: FileNames.isTaken) { throw .leftover(leftover) }
    do throws(DurableFile.Failure) {
      try FileNames.create(neighbours.database, like: nil)
    } catch {
      throw .directoryUnusable(neighbours.directory, error)
    }
    try HistoryError.translating(at: neighbours.database) {
      let connection = try Connection(path: neighbours.database)
      try connection.execute("PRAGMA journal_mode = WAL")
      try connection.close()
    }
  }
}
