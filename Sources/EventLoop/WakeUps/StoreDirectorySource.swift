#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Wakes when any process writes to a database, or replaces or removes it.
///
/// It watches the directory of the database for the file itself, its `-wal` and its `-journal`.
/// Not for its `-shm`: that is memory, and the name is left to the ``DoorbellSource``. Nor for
/// writing to the file itself while there is a write-ahead log: only a checkpoint does that, which
/// commits nothing, and which a look at its end would keep from truncating the log. Nor for a
/// journal that nobody has written to: whoever reads beside one that persists opens it to see that
/// it is not hot, and as root sets its owner, which would wake it by its own reading, for ever.
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
  private var journalStamp: StoreFiles.Stamp?

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
    journalStamp = files.journalStamp
    do throws(LoopError) {
      watch = try DirectoryWatch(
        directory: files.directory, names: files.announcingNames, on: executor
      ) { [weak self] name, happening in
        guard let self, happening == .renamed || announces(name, of: files) else { return }
        wakeUp()
      }
    } catch {
      // No such directory, or the system's watches are used up: as good as silent.
      watch = nil
      isSilent = true
    }
  }

  /// Whether a change of a file may be part of a commit.
  private func announces(_ name: String?, of files: StoreFiles) -> Bool {
    switch name {
    case files.name: return !files.haveSharedMemory
    case files.journalName:
      // Times have steps, in which a second write can hide. It is never the only one: a commit
      // writes to the file, too.
      let stamp = files.journalStamp
      defer { journalStamp = stamp }
      return stamp != journalStamp
    default: return true
    }
  }

  /// Watches no more.
  public func stop() {
    watch = nil
  }
}
