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

  /// Removes what a crash left of a new file.
  func removeUnfinished() throws(HistoryError) {
    do throws(DurableFile.Failure) {
      for ending in ["", "-wal", "-shm", "-journal"] { try FileNames.remove(next + ending) }
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
    guard try connection.row("PRAGMA journal_mode = DELETE")?[0].text == "delete" else {
      throw HistoryError.openElsewhere(neighbours.database, nil)
    }
    do throws(DurableFile.Failure) {
      try FileNames.link(neighbours.database, to: path)
      try FileNames.rename(next, to: neighbours.database)
    } catch {
      throw HistoryError.copyNotMade(path, error)
    }
  }
}
