public import EventLoop
public import HistoryModel
public import HistoryStore
import SQLite

/// A store that a program observes, and writes to.
///
/// ```swift
/// let store = try ObservedStore(path: "app.db")
/// let observer = try await HistoryObserver(store: store, observedTables: ["tasks"])
/// ```
///
/// However many observers it has, it has one connection to read by, one watch and one reader. It
/// may be used from anywhere. Observers keep it; when nobody does any more its connection is closed
/// and its thread ends.
///
/// It plays the part of SwiftData's `ModelContainer` towards observers.
public final class ObservedStore: Sendable {
  package let hub: StoreHub
  let writers: WriterKeeper
  private let ownsLoop: Bool

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - executor: The loop to read on; nil for one with a thread of its own.
  ///   - retention: How much history ``write(author:context:_:)`` leaves; nil to drop nothing.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `storeUnavailable` or `notTracked`, or
  ///   `temporary` when it stays locked for five seconds or the system gives no thread.
  public convenience init(
    path: String, on executor: LoopExecutor? = nil, retention: RetentionLimits? = .standard
  ) throws(HistoryError) {
    try self.init(path: path, on: executor, retention: retention, busyTimeout: 5000)
  }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The database's path.
  ///   - executor: The loop to read on; nil for one with a thread of its own.
  ///   - retention: How much history its writes leave; nil to drop nothing.
  ///   - busyTimeout: How many milliseconds to wait here for one who has it locked.
  /// - Throws: As ``init(path:on:retention:)`` does.
  package init(
    path: String, on executor: LoopExecutor?, retention: RetentionLimits? = nil,
    busyTimeout: Int32
  ) throws(HistoryError) {
    let store = try TrackedStore(path: path, access: .readOnly, busyTimeout: busyTimeout)
    _ = try store.state()
    // From now on it waits on the loop and not in SQLite.
    store.waitForLocks(milliseconds: 0)
    ownsLoop = executor == nil
    if let executor {
      hub = StoreHub(store, on: executor)
    } else {
      hub = StoreHub(store, on: try Self.ownLoop(for: path))
    }
    writers = WriterKeeper(path: path, retention: retention)
  }

  private static func ownLoop(for path: String) throws(HistoryError) -> LoopExecutor {
    do throws(LoopError) {
      return try LoopExecutor.onOwnThread(name: "history")
    } catch {
      throw HistoryError(
        .temporary, "\(path) cannot be observed: \(error)",
        hint: "raise the limits of threads and of open files", cause: error)
    }
  }

  deinit {
    let hub = hub
    let ownsLoop = ownsLoop
    hub.executor.perform {
      hub.assumeIsolated { $0.end { if ownsLoop { hub.executor.letGo() } } }
    }
  }

  /// The database's path, as it was given.
  public var path: String { hub.path }

  /// The identity and the positions of the store at the moment.
  ///
  /// - Returns: Both ends of the history.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read.
  /// - Complexity: O(log *h*) for *h* rows of history.
  public func state() async throws(HistoryError) -> StoreState {
    try await hub.storeState()
  }

  /// Returns the transactions that follow a position, oldest first.
  ///
  /// It plays the part of SwiftData's `fetchHistory(_:)`.
  ///
  /// - Parameter descriptor: Which transactions to return.
  /// - Returns: At most so many as the descriptor says, and the position after them.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `historyTokenExpired`, which names the
  ///   oldest position that is left, or `foreignToken`.
  /// - Complexity: O(log *h* + *n*) for *n* rows of history read out of *h* kept.
  public func fetchHistory(_ descriptor: HistoryDescriptor) async throws(HistoryError)
    -> HistoryPage
  {
    try await hub.fetch(descriptor)
  }

  /// Reads the store at one position of its history.
  ///
  /// - Parameter body: Reads what it wants, on the store's loop, without staying long: nobody is
  ///   told of commits meanwhile.
  /// - Returns: What the body returned.
  /// - Throws: ``/HistoryModel/HistoryError`` when the store cannot be read, and whatever the body
  ///   throws.
  /// - Complexity: That of the body, and O(log *h*) for *h* rows of history.
  public func read<T: Sendable>(_ body: @Sendable (ReadView) throws -> T) async throws -> T {
    try await hub.read(body)
  }

  /// Waits until everybody who observes the store in this process was told of all that a position
  /// covers.
  ///
  /// With the token that a writer in another process got from its commit this is how to read what
  /// it wrote.
  ///
  /// - Parameter token: The position.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `foreignToken`, or `historyTokenExpired`
  ///   when the store was restored to a state before it.
  /// - Complexity: O(*n*) for *n* rows of history that observers were not told of yet.
  public func waitUntil(_ token: HistoryToken) async throws(HistoryError) {
    try await hub.waitUntil(token)
  }
}
