import EventLoop
public import HistoryModel
import HistoryStore
import SQLite

extension StoreRecovery {
  /// Copies a store to a new place, where there is none yet.
  ///
  /// For a group that has got another place: everything that was committed is copied, also what is
  /// still in the store's log, the copy is proved, and appears at the new place whole. It is the
  /// same store, in the same epoch: whoever has a position goes on there. The old one stays as it
  /// is, and nobody may use it any more, since what is written to it later is not in the copy.
  ///
  /// - Parameters:
  ///   - old: The path of the store as it was.
  ///   - path: The new path; the folder must be there.
  ///   - writer: The name of the program that does it.
  /// - Returns: What was done. It is not marked as ready: its owner does that.
  /// - Throws: ``/HistoryModel/HistoryError`` with the reason, with code `usage` when there is a
  ///   store at the new path, or a part of one. Nothing was changed then.
  /// - Complexity: O(*n* log *n*) for *n* rows.
  public static func adopt(
    _ old: String, at path: String, as writer: String
  ) throws(HistoryError) -> Outcome {
    try HistoryError.translating(at: old) {
      let files = StoreNeighbours(of: path)
      try checkIsFree(files)
      let recovery = StoreRecovery(of: path, from: old, as: writer, acceptsAnyStore: true)
      let former = StoreNeighbours(of: old)
      // Before this one opens it itself.
      _ = try recovery.exclusion(former)
      let source = try recovery.openBackup(files)
      if OwnerLock.isHeld(former) {
        throw HistoryError.ownerIsThere(former.database, OwnerLock.holder(former))
      }
      let identity = try BoundaryTable(source).identity()
      let lock = try OwnerLock(files, owner: writer)
      defer { withExtendedLifetime(lock) {} }
      let copy = try StoreCopy(of: source, at: files.database + ".adopting", like: old)
      do {
        let rows = try copy.make()
        let proof = try copy.prove(rows)
        let outcome = Outcome(
          path: files.database, store: identity, epoch: try StoreEpochs(source).current(),
          tables: proof.applicationRows.count, rows: proof.applicationRows.values.reduce(0, +),
          brokenReferences: proof.brokenReferences, replaced: nil, schema: nil,
          needsOwner: try BoundaryTable(source).exists)
        guard copy.isSelfContained else { throw HistoryError.filesInTheWay(copy.path + "-wal") }
        // Once more, since proving takes long, and not everybody asks for the owner's lock.
        try checkIsFree(files)
        try HistoryError.naming(files.database) { () throws(DurableFile.Failure) in
          try FileNames.rename(copy.path, to: files.database)
        }
        try source.close()
        return outcome
      } catch {
        try? copy.remove()
        throw error
      }
    }
  }

  /// Copies a store to the place of its group, where there is none yet.
  ///
  /// - Parameters:
  ///   - old: The path of the store as it was.
  ///   - location: The new place.
  ///   - writer: The name of the program that does it.
  /// - Returns: What was done.
  /// - Throws: ``/HistoryModel/HistoryError``, as when a path is given.
  public static func adopt(
    _ old: String, at location: StoreLocation, as writer: String
  ) throws(HistoryError) -> Outcome {
    try adopt(old, at: location.path, as: writer)
  }

  /// Says whether a store can come to a path: nothing may be there that would be taken for a part
  /// of it, or replaced.
  private static func checkIsFree(_ files: StoreNeighbours) throws(HistoryError) {
    for part in StoreCopy.parts where FileNames.isTaken(files.database + part) {
      throw .placeTaken(files.database + part)
    }
    guard !SetAside.isUnderWay(files) else { throw .placeTaken(files.database) }
  }
}
