/// Wakes when a writer has rung the ``Doorbell`` of a database.
///
/// A second watch on the directory that ``StoreDirectorySource`` watches shares its kernel watch.
/// The first connection that opens a store, and a log that outgrows its index, ring too; that
/// costs one look.
public final class DoorbellSource: WakeUpSource {
  /// `doorbell`.
  public let name = "doorbell"
  /// `true`: it promises nothing, since only writers that know of it ring.
  public let isSilent = true
  /// `true`: writers ring after COMMIT.
  public let speaksAfterCommit = true
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
    let name = files.sharedMemory.lastPathComponent
    // Without a watch nobody hears the bell; the other sources know of the commit too.
    watch = try? DirectoryWatch(directory: files.directory, names: [name], on: executor) {
      rung, _ in
      if rung == name { wakeUp() }
    }
  }

  /// Watches no more.
  public func stop() {
    watch = nil
  }
}
