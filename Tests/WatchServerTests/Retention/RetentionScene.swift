import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import WatchServer

/// A store with a keeper on a loop of its own, and a time that only the test moves.
final class RetentionScene {
  static let birth: Int64 = 1_764_486_000_000

  let store: TemporaryStore
  let vfs = ClockVFS(now: birth)
  let writer: Connection
  let clock = ManualLoopClock(birth: birth)
  let executor: LoopExecutor
  let keeper: RetentionKeeper
  let events = Guarded<[String]>([])

  init(
    _ limits: RetentionLimits, journal: TemporaryStore.Journal = .wal, isMissing: Bool = false
  ) throws {
    store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", journal: journal)
    try store.track()
    writer = try store.connection(vfs: vfs.name)
    executor = try LoopExecutor.onOwnThread(name: "keeper")
    keeper = RetentionKeeper(
      path: isMissing ? store.directory.file("later.db") : store.path, limits: limits,
      on: executor, clock: clock
    ) { [events] event in
      let line =
        switch event {
        case .failed(let error): "failed \(error.code)"
        case .recovered: "recovered"
        case .heldBack(let name): "held by \(name ?? "nobody")"
        }
      events.withLock { $0.append(line) }
    }
  }

  deinit { executor.shutdown() }

  /// Lets time pass for the keeper and for the writers.
  func advance(by duration: Duration = .zero) async {
    await clock.advance(by: duration, on: executor)
    vfs.now = clock.wallClock
  }

  /// Inserts a row as a tagged transaction.
  func insert(_ id: Int, bytes: Int = 10) throws {
    try writer.execute(
      """
      BEGIN IMMEDIATE; INSERT INTO history_author(name) VALUES ('app');
      INSERT INTO t VALUES (\(id), zeroblob(\(bytes))); DELETE FROM history_author; COMMIT
      """)
  }

  /// The keys of the transactions that can still be read.
  func kept() throws -> [Int64] {
    try store.recorded().transactions.flatMap { copy in
      copy.changes.compactMap { $0.key.first?.value.integer }
    }
  }

  /// How many rows the history has in the file.
  func rows() throws -> Int64 {
    try writer.row("SELECT count(*) FROM _history_change")?[0].integer ?? 0
  }
}
