public import EventLoop
public import HistoryModel

/// Keeps a file of facts current, and asks for a reload only once the file is on the disk.
///
/// ```swift
/// let snapshots = try SnapshotWriter<Facts>(path: "facts.json", schema: 3) {
///   try await store.read { view in (try Facts(view), view.token) }
/// } reload: { snapshot in
///   await showWidgets()
/// }
/// snapshots.requestWrite()
/// ```
///
/// Requests come in bursts: what is asked for while a file is being written makes exactly one more.
/// The file is replaced whole, so a reader and a crash find the old facts or the new ones. What
/// fails is tried again after a pause of 1 s, and later of up to 60 s, each time with facts that are
/// read anew: what was committed to the store counts, and a file that could not be written catches
/// up with it.
///
/// When the writer is let go it ends as by ``stop()``, which nobody waits for then.
public actor SnapshotWriter<Payload: Codable & Sendable> {
  private nonisolated let executor: LoopExecutor
  /// The loop that the actor lives on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// The file's path.
  public nonisolated var path: String { file.path }
  /// The version of what the payload is made of.
  public nonisolated let schema: Int
  /// What was last written; nil before the first time.
  public private(set) var snapshot: Snapshot<Payload>?

  private nonisolated let file: SnapshotFile
  private let clock: any LoopClock
  private nonisolated let ownsLoop: Bool
  private nonisolated let writing: PassDriver
  private nonisolated let reloading: PassDriver
  private let payload: @Sendable () async throws -> (payload: Payload, token: HistoryToken?)
  private let reload: @Sendable (Snapshot<Payload>) async throws -> Void

  /// Makes a writer, which writes nothing until it is asked to.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - schema: The version of what the payload is made of; a reader accepts no other.
  ///   - model: A file, such as the store; whoever may use that may use the snapshot. Nil for this
  ///     user only.
  ///   - executor: The loop to live on, which waits while the file is synced; nil for one with a
  ///     thread of its own. The closures run there too, and without it on Swift's own threads.
  ///   - payload: Finds the facts, and the position at which they are so, best of one read
  ///     transaction.
  ///   - reload: Called after a file was written and is on the disk, with what is in it. For several
  ///     files that were written during one call there is one more. One that throws is called again
  ///     after a pause.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when the system gives no thread.
  public init(
    path: String, schema: Int, like model: String? = nil, on executor: LoopExecutor? = nil,
    payload: @escaping @Sendable () async throws -> (payload: Payload, token: HistoryToken?),
    reload: @escaping @Sendable (Snapshot<Payload>) async throws -> Void = { _ in }
  ) throws(HistoryError) {
    try self.init(
      path: path, schema: schema, like: model, on: executor, clock: SystemLoopClock(),
      payload: payload, reload: reload)
  }

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - schema: The version of what the payload is made of.
  ///   - model: A file; whoever may use that may use the snapshot.
  ///   - executor: The loop to live on; nil for one with a thread of its own.
  ///   - clock: What tells the time.
  ///   - payload: Finds the facts.
  ///   - reload: Called after a file was written.
  /// - Throws: As the other initializer does.
  package init(
    path: String, schema: Int, like model: String? = nil, on executor: LoopExecutor?,
    clock: some LoopClock,
    payload: @escaping @Sendable () async throws -> (payload: Payload, token: HistoryToken?),
    reload: @escaping @Sendable (Snapshot<Payload>) async throws -> Void
  ) throws(HistoryError) {
    let loop: LoopExecutor
    if let executor { loop = executor } else { loop = try Self.ownLoop(for: path) }
    self.executor = loop
    ownsLoop = executor == nil
    self.schema = schema
    self.clock = clock
    file = SnapshotFile(path: path, like: model)
    writing = PassDriver(on: loop, workingOn: executor, clock: clock)
    reloading = PassDriver(on: loop, workingOn: executor, clock: clock)
    self.payload = payload
    self.reload = reload
    reloading.begin { [weak self] in try await self?.announce() }
    writing.begin { [weak self] in try await self?.makeCurrent() }
  }

  private static func ownLoop(for path: String) throws(HistoryError) -> LoopExecutor {
    do throws(LoopError) {
      return try LoopExecutor.onOwnThread(name: "snapshot")
    } catch {
      throw HistoryError(
        .temporary, "the snapshot \(path) cannot be kept: \(error)",
        hint: "raise the limits of threads and of open files", cause: error)
    }
  }

  deinit {
    writing.end { [reloading, executor, ownsLoop] in
      reloading.end { if ownsLoop { executor.letGo() } }
    }
  }

  /// Asks for the file to be written with what is so now or later, and waits for nothing.
  public nonisolated func requestWrite() { writing.request() }

  /// Writes the file with what is so now or later, and waits until it is on the disk.
  ///
  /// It does not wait out the pause after a failure; nor for the reload, which is asked for by then.
  ///
  /// - Returns: What was written.
  /// - Throws: What ``error`` is then. It is tried again after a pause all the same.
  @discardableResult
  public func write() async throws -> Snapshot<Payload> {
    try await writing.pass()
    guard let snapshot else { throw HistoryError.snapshotsStopped }
    return snapshot
  }

  /// Why the file could not be written the last time; nil once it was.
  ///
  /// It is a ``/HistoryModel/HistoryError`` where writing failed, and else what the closure threw
  /// that finds the payload.
  public var error: (any Error)? { writing.assumeIsolated { $0.error } }

  /// What the last reload threw; nil when it did not.
  public var reloadError: (any Error)? { reloading.assumeIsolated { $0.error } }

  /// Writes nothing any more, and waits until the present file and reload are done.
  ///
  /// What was asked for and has not begun is left undone.
  public func stop() async {
    await writing.stop()
    await reloading.stop()
  }

  private func makeCurrent() async throws {
    let time = CalendarTime(milliseconds: clock.wallClock)
    let (payload, token) = try await payload()
    let next = Snapshot(schema: schema, token: token, generatedAt: time, payload: payload)
    try file.replace(with: bytes(of: next))
    snapshot = next
    reloading.request()
  }

  private func bytes(of snapshot: Snapshot<Payload>) throws(HistoryError) -> [UInt8] {
    let value: JSONValue
    do {
      value = try JSONValue(encoding: snapshot.payload)
    } catch {
      throw .notEncoded(path, error)
    }
    var lines = LineEncoder()
    lines.facts(
      payload: value, schema: snapshot.schema, token: snapshot.token, at: snapshot.generatedAt)
    return lines.bytes
  }

  private func announce() async throws {
    guard let snapshot else { return }
    try await reload(snapshot)
  }
}
