import EventLoop
import HistoryModel
import SQLite

/// A migration into a new file, which takes the store's place once it is proven.
///
/// Nobody else may have the store open, which only a write-ahead log tells: with one, a connection
/// in exclusive locking mode is the only one or it is refused. It keeps its lock until the new file
/// is in place. The old one has a rollback journal then, so that whoever opened it a moment before
/// and waited for the lock is refused when he writes, rather than writing where nobody looks:
/// SQLite checks that a database was not moved when it opens a journal.
struct SideBySide {
  let neighbours: StoreNeighbours

  /// Where the new file is made.
  var next: String { neighbours.database + "-next" }

  /// Makes a connection the only one.
  ///
  /// - Parameter connection: A connection that has not touched the database yet.
  /// - Throws: ``/HistoryModel/HistoryError`` with reason `locked` when others have it open, and
  ///   code `usage` for a store without a write-ahead log.
  func takeAlone(_ connection: Connection) throws {
    do {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
      // A swap that was interrupted had put the old file into another mode.
      if FileNames.isTaken(next) { _ = try connection.row("PRAGMA journal_mode = WAL") }
      guard try connection.row("PRAGMA journal_mode")?[0].text == "wal" else {
        throw HistoryError.sideBySideNeedsWAL(neighbours.database)
      }
      // The lock comes with the first read.
      _ = try connection.row("PRAGMA user_version")
      try connection.transaction(.immediate) {}
    } catch let error as SQLiteError where error.code.primary == .busy {
      throw HistoryError.openElsewhere(neighbours.database, error)
    }
  }

  /// Removes what a killed owner left of a new file, on whichever way the next one goes.
  ///
  /// While a swap is half done the new file says so, so it goes once the old one has its log again;
  /// where others keep that from happening it stays for the next owner.
  ///
  /// - Parameter connection: A connection to the store.
  /// - Throws: ``/HistoryModel/HistoryError`` when they cannot be removed, and ``SQLiteError``.
  func removeLeftovers(_ connection: Connection) throws {
    guard Self.endings.contains(where: { FileNames.isTaken(next + $0) }) else { return }
    if FileNames.isTaken(next) {
      do throws(SQLiteError) {
        let mode = try connection.row("PRAGMA journal_mode = WAL")?[0].text
        guard mode == "wal" else { return }
      } catch {
        guard error.code.primary == .busy else { throw error }
        return
      }
    }
    try removeUnfinished()
  }

  /// What there may be of a new file: itself, not whole yet, and what SQLite puts beside either.
  private static let endings = ["", ".unfinished"].flatMap { name in
    ["-wal", "-shm", "-journal", ""].map { name + $0 }
  }

  /// Removes what a crash left of a new file.
  func removeUnfinished() throws(HistoryError) {
    do throws(DurableFile.Failure) {
      for ending in Self.endings { try FileNames.remove(next + ending) }
    } catch {
      throw .copyNotMade(next, error)
    }
  }

  /// Puts the new file in the place of the old one, which stays under another name.
  ///
  /// There is a whole store at the path at every moment.
  ///
  /// - Parameters:
  ///   - connection: The only connection to the old one.
  ///   - path: The old one's other name.
  /// - Throws: ``/HistoryModel/HistoryError`` when the old one is still in its place.
  func swap(_ connection: Connection, keeping path: String) throws {
    // What a last connection could not move from its log into the file would stay behind with it.
    for end in ["-wal", "-journal"] where FileNames.isTaken(next + end) {
      throw HistoryError.copyUnfinished(next)
    }
    guard try connection.row("PRAGMA journal_mode = DELETE")?[0].text == "delete" else {
      throw HistoryError.openElsewhere(neighbours.database, nil)
    }
    // SQLite does not say when it could not delete the log, which would be taken for a part of the new
    // file and spoil it.
    if FileNames.isTaken(neighbours.database + "-wal") {
      throw HistoryError.copyUnfinished(neighbours.database)
    }
    try exchange(keeping: path)
  }

  /// Leaves the old file as it was, with its log, and removes the new one.
  ///
  /// Where that fails the new one stays: it tells the next attempt what is to be done.
  ///
  /// - Parameter connection: The only connection to the old one.
  func giveUp(_ connection: Connection) {
    guard let mode = try? connection.row("PRAGMA journal_mode = WAL"), mode[0].text == "wal" else {
      return
    }
    try? removeUnfinished()
  }

  private func exchange(keeping path: String) throws(HistoryError) {
    do throws(DurableFile.Failure) {
      try FileNames.link(neighbours.database, to: path)
    } catch {
      throw .copyNotMade(path, error)
    }
    do throws(DurableFile.Failure) {
      try FileNames.rename(next, to: neighbours.database)
    } catch {
      // It is no copy, but a second name of the store.
      try? FileNames.remove(path)
      throw .copyNotMade(path, error)
    }
  }
}
