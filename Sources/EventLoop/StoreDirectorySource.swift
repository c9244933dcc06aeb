#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Wakes when any process writes to a database, or replaces or removes it.
///
/// It watches the directory of the database for the file itself, its `-wal` and its `-journal`.
/// Not for its `-shm`: that is memory, and the name is left to the ``DoorbellSource``.
public final class StoreDirectorySource: WakeUpSource {
  /// `directory`.
  public let name = "directory"
  /// Whether the directory's file system raises no events, or could not be watched.
  public private(set) var isSilent = false
  /// `false`: events come when a commit is written, before it can be seen.
  public let speaksAfterCommit = false
  private let path: String
  private let executor: LoopExecutor
  private var watch: DirectoryWatch?

  /// Makes a source that does not watch yet.
  ///
  /// - Parameters:
  ///   - path: The database's path. Symbolic links are followed at each start.
  ///   - executor: The loop that calls back.
  public init(database path: String, on executor: LoopExecutor) {
    self.path = path
    self.executor = executor
  }

  /// Begins to watch.
  ///
  /// - Parameter wakeUp: What to call, on the loop.
  public func start(_ wakeUp: @escaping () -> Void) {
    let files = StoreFiles(database: path)
    isSilent = DirectoryWatch.isSilent(directory: files.directory)
    do throws(LoopError) {
      watch = try DirectoryWatch(
        directory: files.directory, names: files.announcingNames, on: executor
      ) { _ in wakeUp() }
    } catch {
      // No such directory, or the system's watches are used up: as good as silent.
      watch = nil
      isSilent = true
    }
  }

  /// Watches no more.
  public func stop() {
    watch = nil
  }
}
