import EventLoop
public import HistoryModel
import HistoryStore
import SQLite

/// Puts a backup in the place of a store, and keeps both.
///
/// The backup is copied, never moved, and the copy is proved before anything is changed. What stood
/// at the path is moved aside, never deleted. A crash at any moment leaves everything on the disk,
/// and doing it again finishes it.
///
/// ```swift
/// let outcome = try StoreRecovery(of: "app.db", from: "backup.db", as: "app").recover()
/// print(outcome.replaced ?? "there was nothing before")
/// ```
public struct StoreRecovery: Sendable {
  /// What was done.
  public struct Outcome: Sendable, Hashable {
    /// The store's path, without symbolic links.
    public let path: String
    /// The store's identity; nil when it has none.
    public let store: StoreIdentifier?
    /// The epoch that its history is in now; nil when it is not tracked.
    public let epoch: UInt32?
    /// How many tables of the application's were counted, here and in the backup.
    public let tables: Int
    /// How many rows they have together.
    public let rows: Int64
    /// How many rows of each table refer to one that is not there, as they do in the backup.
    public let brokenReferences: [String: Int]
    /// Where that is which stood at the path before; nil when nothing did.
    public let replaced: String?
    /// The schema for which it is ready; nil when nothing says that it is.
    public let schema: Int?
    /// Whether its owner must prepare it before others can open it: it was migrated once, or was
    /// marked as ready before, and is not ready now.
    public let needsOwner: Bool
  }

  /// A moment at which a crash is survived like at any other.
  package enum Step: Hashable, CaseIterable {
    case copied, proved, epochBegun, markerCleared, placeNoted
    case databaseMoved, logMoved, journalMoved, memoryMoved, putInPlace, noteForgotten
    case markerWritten
  }

  let path: String
  let backup: String
  let acceptsAnyStore: Bool
  let writer: String

  /// Prepares a recovery.
  ///
  /// - Parameters:
  ///   - path: The path of the store; there need not be anything.
  ///   - backup: The path of the backup.
  ///   - writer: The name of the program that does it, for others who want to own the store.
  ///   - acceptsAnyStore: Whether the backup may be of another store.
  public init(
    of path: String, from backup: String, as writer: String, acceptsAnyStore: Bool = false
  ) {
    self.path = path
    self.backup = backup
    self.writer = writer
    self.acceptsAnyStore = acceptsAnyStore
  }

  /// Recovers the store.
  ///
  /// - Returns: What was done.
  /// - Throws: ``/HistoryModel/HistoryError`` with the reason. Up to the moment at which the marker
  ///   is cleared nothing has changed; after that everything is still there, and it can be done
  ///   again.
  /// - Complexity: O(*n* log *n*) for *n* rows of the backup.
  public func recover() throws(HistoryError) -> Outcome {
    try recover { _ in }
  }

  /// Recovers the store, watched.
  ///
  /// - Parameter observe: Told after each step. What it throws ends everything there as a crash
  ///   would: nothing is tidied up.
  /// - Returns: What was done.
  /// - Throws: ``/HistoryModel/HistoryError``, and as its cause what `observe` threw.
  package func recover(observing observe: (Step) throws -> Void) throws(HistoryError) -> Outcome {
    try HistoryError.translating(at: backup) {
      let files = StoreNeighbours(of: path)
      let source = try openBackup(files)
      let identity = try BoundaryTable(source).identity()
      guard try acceptsAnyStore || KnownStore(files).mayBeReplaced(by: identity) else {
        throw HistoryError.backupOfAnotherStore(backup, files.database)
      }
      let lock = try OwnerLock(files, owner: writer)
      // Nobody waits for the end of a long copy to hear that it was in vain.
      _ = try exclusion(files)
      try SetAside.finishInterrupted(files)
      let model = DatabaseFile(path: files.database) == nil ? backup : files.database
      let copy = try StoreCopy(of: source, at: files.database + ".recovering", like: model)
      let outcome: Outcome
      do {
        outcome = try replace(files, by: copy, of: identity) { step in
          do { try observe(step) } catch { throw Stop(cause: error) }
        }
      } catch let stop as Stop {
        throw stop.cause
      } catch {
        try? copy.remove()
        throw error
      }
      try source.close()
      withExtendedLifetime(lock) {}
      return outcome
    }
  }

  /// Whoever observes has ended it.
  private struct Stop: Error {
    let cause: any Error
  }

  /// Opens the backup, once it is clear that it could take the place of the store.
  func openBackup(_ files: StoreNeighbours) throws -> Connection {
    guard let file = DatabaseFile(path: backup) else { throw HistoryError.backupMissing(backup) }
    guard file.kind == .file else { throw HistoryError.notAFile(backup) }
    let old = DatabaseFile(path: files.database)
    guard old != file else { throw HistoryError.backupIsTheStore(files.database) }
    // A link that leads nowhere would be replaced, not what it was meant to lead to.
    guard old.map({ $0.kind == .file }) ?? !FileNames.isTaken(files.database) else {
      throw HistoryError.notAFile(files.database)
    }
    do throws(DurableFile.Failure) {
      try FileNames.checkDirectory(files.directory)
    } catch {
      throw HistoryError.directoryUnusable(files.directory, error)
    }
    let source = try Connection(path: backup, access: .readOnly)
    source.setBusyTimeout(milliseconds: 5000)
    guard try source.row("SELECT 1 FROM sqlite_schema WHERE type = 'table'") != nil else {
      throw HistoryError.backupDamaged(backup, "it has no table")
    }
    return source
  }
}
