public import HistoryModel
import SQLite

/// Looks whether a store has changed since the last look, for the price of one pragma.
///
/// `PRAGMA data_version` moves when another connection commits; it does not see another file moved
/// over the path (fact 21), which comparing device and inode does. It takes no lock that a writer
/// in WAL mode could meet, and none in a rollback journal mode while somebody is writing (fact 54),
/// unless that goes on for long.
public final class StoreLook {
  /// What a look found.
  public enum Finding: Sendable, Equatable {
    /// Nothing was committed since the last look.
    case unchanged
    /// Something may have been committed.
    case changed
    /// The path leads to another file now.
    case replaced
    /// The path leads nowhere now.
    case missing
    /// The store is locked for a moment; look again.
    case busy
    /// Somebody is writing whom a look could make fail; look again.
    case writing
  }

  /// Whether the last look showed all that had been announced before it, so that looking again is
  /// needless until something else is announced.
  ///
  /// A rollback journal is made, and the file written, only by who has the RESERVED lock. When
  /// nobody has it, whoever announced something has committed or rolled back. With a write-ahead
  /// log nothing tells.
  public private(set) var isSettled = false

  private let store: TrackedStore
  private let filePace: Duration
  private let start = ContinuousClock.now
  private var givingWay = GivingWay()
  private var hasLog = false
  /// The version at which ``hasLog`` was found out.
  private var modeVersion: Int64?
  private var version: Int64?
  private var sharedMemory: DatabaseFile?
  private var lastFileLook: ContinuousClock.Instant?
  private var isMissing = false

  /// Makes a look at a store; the first finds it changed.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - filePace: How long after a look at the files the next is due: they are moved by hand, not
  ///     in the microseconds between two looks at a commit under way.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  public init(
    _ store: TrackedStore, filePace: Duration = .milliseconds(20)
  ) throws(HistoryError) {
    self.store = store
    self.filePace = filePace
    // What cannot be compiled fails here.
    _ = try HistoryError.translating(at: store.path) {
      (try store.prepared(.dataVersion), try store.prepared(.journalMode))
    }
  }

  /// Everything up to a version was read, so that only what comes after it is a change.
  ///
  /// - Parameter version: What the read transaction saw.
  package func read(_ version: StoreVersion) { self.version = version.data }

  /// Looks.
  ///
  /// - Returns: What it found.
  public func look() -> Finding {
    isSettled = false
    if isMissing || lastFileLook.map({ $0.duration(to: .now) >= filePace }) ?? true {
      lastFileLook = .now
      if let finding = lookAtFiles() { return finding }
    }
    let isWriting = hasLog ? nil : store.connection.hasWriter()
    let action = givingWay.found(isWriting: isWriting ?? false, now: start.duration(to: .now))
    guard action == .read else { return .writing }
    // Whatever fails here is met again, and told, by the read that follows.
    guard let now = try? store.dataVersion() else { return .busy }
    // Another mode comes with a commit. Asking for it costs twice what the look does.
    if now != modeVersion {
      hasLog = (try? store.hasLog()) ?? true
      modeVersion = now
    }
    isSettled = !hasLog && isWriting == false
    defer { version = now }
    return now == version ? .unchanged : .changed
  }

  private func lookAtFiles() -> Finding? {
    guard let file = DatabaseFile(path: store.path) else {
      isMissing = true
      return .missing
    }
    // Whoever was told that it is gone is told that it is back.
    if isMissing { version = nil }
    isMissing = false
    guard file == store.file else { return .replaced }
    // A copy put back by hand comes without the log and its index; whoever still has the old ones
    // mapped would never see what is written to the new ones.
    let index = DatabaseFile(path: store.path + "-shm")
    if let index, let known = sharedMemory, index != known { return .replaced }
    if sharedMemory == nil { sharedMemory = index }
    return nil
  }
}
