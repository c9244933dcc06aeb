#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Rung by a writer after COMMIT, so that observers need not guess when it became visible.
///
/// It sets the times of the database's `-shm` to now, by name: no descriptor of a database file is
/// opened or closed, which would drop the locks that SQLite holds on it in this process. A
/// ``DoorbellSource`` sees the change of times; SQLite itself never looks at them, and hardly ever
/// causes an event on that file, which it only maps into memory. Where there is none, since the
/// store keeps a rollback journal, the database's own times are set, which a
/// ``StoreDirectorySource`` sees.
public struct Doorbell: Sendable {
  private let sharedMemory: String
  private let database: String

  /// Makes a doorbell; symbolic links are followed once, now.
  ///
  /// - Parameter path: The path of a database that exists.
  public init(database path: String) {
    let files = StoreFiles(database: path)
    sharedMemory = files.sharedMemory
    database = files.database
  }

  /// Wakes all observers of the database, in any process.
  ///
  /// - Returns: Whether the file system took it. If not, observers find the commit by themselves.
  @discardableResult
  public func ring() -> Bool {
    // Both times, since setting only one is allowed to nobody but the file's owner.
    utimensat(AT_FDCWD, sharedMemory, nil, 0) == 0 || utimensat(AT_FDCWD, database, nil, 0) == 0
  }
}
