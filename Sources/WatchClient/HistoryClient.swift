public import EventLoop
public import HistoryModel

/// A program's way to a server: `historywatch serve`, by its socket.
///
/// ```swift
/// let client = try HistoryClient(socket: "/run/user/1000/historywatch")
/// for try await transaction in client.transactions(after: .now) {
///   print(transaction.author ?? "untagged", transaction.changes.count)
/// }
/// ```
///
/// Each sequence and each request has a connection of its own, so that whoever reads slowly slows
/// down nobody else: a connection that several share can be read only as fast as the slowest of
/// them. It may be used from anywhere. With the last of them its thread ends.
public final class HistoryClient: Sendable {
  private let session: ClientSession
  private let pace: ConnectionPace

  /// Makes a client; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - path: The server's socket.
  ///   - executor: The loop to wait on; nil for one with a thread of its own.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` if the system gives no thread.
  public convenience init(socket path: String, on executor: LoopExecutor? = nil)
    throws(HistoryError)
  {
    try self.init(socket: path, on: executor, pace: ConnectionPace())
  }

  package init(
    socket path: String, on executor: LoopExecutor?, pace: ConnectionPace
  ) throws(HistoryError) {
    session = ClientSession(at: path, on: try ClientLoop(executor))
    self.pace = pace
  }

  /// The server's socket.
  public var path: String { session.path }

  /// Whole transactions, as they are committed, one after the other.
  ///
  /// While there is no server, also at the beginning, it tries again and again, with pauses that
  /// grow from a tenth of a second to ten seconds. It goes on after the last transaction that it
  /// gave, so none is lost and none comes twice.
  ///
  /// - Parameters:
  ///   - database: Which database, as the server was told of it or as an absolute path; nil for the
  ///     only one that it serves.
  ///   - position: Where to begin.
  ///   - filter: Which changes are wanted.
  /// - Returns: A sequence that never ends by itself. Whether it can begin there shows with the
  ///   first transaction that is asked for.
  public func transactions(
    of database: String? = nil, after position: HistoryPosition,
    matching filter: ChangeFilter = ChangeFilter()
  ) -> WatchedTransactions {
    WatchedTransactions(
      source: source,
      content: TransactionContent(database: database, after: position, filter: filter))
  }

  /// When timelines have to be refreshed, of kinds that the server's configuration gives to
  /// subscribers.
  ///
  /// A timeline counts as refreshed when the next notice is asked for.
  ///
  /// - Parameters:
  ///   - timelines: Their names, at most 64.
  ///   - database: Which database, as the server was told of it or as an absolute path; nil for the
  ///     only one that it serves.
  ///   - positions: The last ``ReloadNotice/until`` that each was refreshed for. One without, or
  ///     with another than the newest, is told to refresh at once.
  /// - Returns: A sequence that never ends by itself.
  public func reloads(
    of timelines: [String], in database: String? = nil,
    since positions: [String: HistoryToken] = [:]
  ) -> WatchedReloads {
    WatchedReloads(
      source: source,
      content: ReloadContent(database: database, timelines: timelines, since: positions))
  }

  private var source: SubscriptionSource {
    SubscriptionSource(path: path, loop: session.loop, pace: pace)
  }

  /// Sends a request and waits for its answer.
  func ask(
    _ operation: String, _ fields: KeyValuePairs<String, JSONValue?> = [:]
  ) async throws(HistoryError) -> JSONValue {
    try await session.ask(ClientRequest(operation, fields))
  }
}

/// What every iteration of a sequence begins with.
struct SubscriptionSource: Sendable {
  let path: String
  let loop: ClientLoop
  let pace: ConnectionPace

  func reader<Content>(_ content: Content) -> SubscriptionReader<Content> {
    SubscriptionReader(content, at: path, on: loop, pace: pace)
  }
}
