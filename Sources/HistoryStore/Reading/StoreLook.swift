public import HistoryModel
import SQLite

/// Looks whether a store has changed since the last look, for the price of one pragma.
///
/// `PRAGMA data_version` moves when another connection commits; it does not see another file moved
/// over the path (fact 21), which comparing device and inode does. It takes no lock that a writer
/// in WAL mode could meet.
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
  }

  private let store: TrackedStore
  private let filePace: Duration
  private let statement: Statement
  private var version: Int64?
  private var sharedMemory: DatabaseFile?
  private var lastFileLook: ContinuousClock.Instant?

  /// Makes a look at a store; the first finds it changed.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - filePace: How long after a look at the files the next is due: they are moved by hand, not
  ///     in the microseconds between two looks at a commit under way.
  /// - Throws: ``HistoryModel/HistoryError`` when the store cannot be read.
  public init(
    _ store: TrackedStore, filePace: Duration = .milliseconds(20)
  ) throws(HistoryError) {
    self.store = store
    self.filePace = filePace
    statement = try HistoryError.translating(at: store.path) {
      try store.connection.prepare("PRAGMA data_version")
    }
  }

  /// Looks.
  ///
  /// - Returns: What it found.
  public func look() -> Finding {
    if lastFileLook.map({ $0.duration(to: .now) >= filePace }) ?? true {
      lastFileLook = .now
      if let finding = lookAtFiles() { return finding }
    }
    defer { statement.reset() }
    // Whatever fails here is met again, and told, by the read that follows.
    guard let isRow = try? statement.step(), isRow else { return .busy }
    let now = statement.int64(at: 0)
    defer { version = now }
    return now == version ? .unchanged : .changed
  }

  private func lookAtFiles() -> Finding? {
    guard let file = DatabaseFile(path: store.path) else { return .missing }
    guard file == store.file else { return .replaced }
    // A copy put back by hand comes without the log and its index; whoever still has the old ones
    // mapped would never see what is written to the new ones.
    let index = DatabaseFile(path: store.path + "-shm")
    if let index, let known = sharedMemory, index != known { return .replaced }
    if sharedMemory == nil { sharedMemory = index }
    return nil
  }
}
