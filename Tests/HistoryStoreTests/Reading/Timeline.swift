import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite

/// A tracked store whose writers have a clock that the test sets.
struct Timeline {
  let clock = ClockVFS(now: 1_764_486_000_000)
  let store: TemporaryStore
  /// A writer of plain SQL.
  let writer: Connection

  init(
    _ schema: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, a)", omitsTimes: Bool = false,
    journal: TemporaryStore.Journal = .wal
  ) throws {
    store = try TemporaryStore(sql: schema, journal: journal)
    try store.track(omitsTimes: omitsTimes)
    writer = try store.connection(vfs: clock.name)
  }

  /// Inserts rows into `t`, each in a transaction of its own.
  func insert(_ ids: ClosedRange<Int>) throws {
    for id in ids { try writer.run("INSERT INTO t(id) VALUES (?)", .integer(Int64(id))) }
  }

  /// Runs a body in a transaction that plain SQL tags.
  func tagged(_ author: String, context: String? = nil, _ sql: String) throws {
    try writer.run("BEGIN IMMEDIATE")
    try writer.run(
      "INSERT INTO history_author(name, context) VALUES (?, ?)", .text(author),
      context.map { .text($0) } ?? .null)
    try writer.execute(sql)
    try writer.execute("DELETE FROM history_author; COMMIT")
  }

  /// Sweeps until a sweeper says that it is done, which is soon.
  ///
  /// - Returns: How many steps that took.
  @discardableResult
  func sweep() throws -> Int {
    let sweeper = try HistorySweeper(store.opened())
    for count in 1...1000 where try sweeper.step() == .done { return count }
    throw HistoryRecorder.Failure(description: "the sweeper never comes to its end")
  }

  /// What a reader from the oldest position gets: for each transaction its author, or nil, and the
  /// keys of its changes.
  func groups(pagesOf length: Int = 1000) throws -> [Group] {
    let store = try store.opened()
    let recorder = try HistoryRecorder(store, after: store.state().oldest)
    try recorder.read(pagesOf: length)
    return recorder.transactions.map { Group($0) }
  }

  /// A transaction as tests of grouping compare it.
  struct Group: Equatable, CustomStringConvertible {
    var author: String?
    var keys: [Int64]

    init(_ author: String?, _ keys: [Int64]) {
      self.author = author
      self.keys = keys
    }

    init(_ copy: TransactionCopy) {
      author = copy.record.author
      keys = copy.changes.compactMap { $0.key.first?.value.integer }
    }

    var description: String { "\(author ?? "-")\(keys)" }
  }
}
