import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What becomes of a store that follows another when somebody puts an earlier state of it back meanwhile.
@Suite("A target that is restored while it follows")
struct RestoredTargetTests {
  private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a)"

  /// How an earlier state comes back.
  enum Way: CaseIterable {
    /// By SQLite, into the same file.
    case inPlace
    /// By another file, moved over the path.
    case moved
  }

  private let pair: SyncPair

  // A file that is moved over another by hand must not meet the other's log.
  init() throws { pair = try SyncPair(Self.table, journal: .delete) }

  private var target: TemporaryStore { pair.stores[1] }

  private func backUp() throws -> String {
    let path = target.directory.file("backup")
    // Page by page: what VACUUM makes has another schema, of which capture would have to be told.
    try Backup.copy(from: target.connection(), into: Connection(creating: path))
    return path
  }

  private func restore(_ backup: String, _ way: Way) throws {
    switch way {
    case .inPlace:
      try Backup.copy(from: Connection(path: backup, access: .readOnly), into: target.connection())
      // SQLite counts that as a change of the schema, which would be refused before anything else.
      try target.track()
    case .moved: try #require(rename(backup, target.path) == 0)
    }
  }

  @Test(
    "nothing is applied over what it lost, and whoever begins anew gives it all",
    arguments: Way.allCases)
  func continues(way: Way) async throws {
    try await pair.write(0, "INSERT INTO t VALUES (1, 'a')")
    let applier = try HistoryApplier(path: target.path)
    try applier.apply(pair.history(0)[0])
    let backup = try backUp()
    for id in 2...4 { try await pair.write(0, "INSERT INTO t VALUES (\(id), 'a')") }
    for transaction in try pair.history(0)[1...2] { try applier.apply(transaction) }
    try restore(backup, way)
    let last = try #require(try pair.history(0).last)
    let error = #expect(throws: HistoryError.self) { try applier.apply(last) }
    #expect(error?.code == .temporary)
    #expect(error?.hint?.isEmpty == false)
    #expect(throws: HistoryError.self) { try applier.advance(to: last.token) }
    #expect(try pair.rows(1) == [[.integer(1), .text("a")]])
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0))
    #expect(try pair.lines(1) == pair.lines(0))
  }

  @Test("nor is anything over what it lost of a snapshot's rows")
  func afterRows() async throws {
    try await pair.write(0, "INSERT INTO t VALUES (1, 'a')")
    let backup = try backUp()
    let applier = try HistoryApplier(path: target.path)
    try pair.takeRows(applier, from: 0)
    try restore(backup, .inPlace)
    try await pair.write(0, "INSERT INTO t VALUES (2, 'a')")
    let last = try #require(try pair.history(0).last)
    let error = #expect(throws: HistoryError.self) { try applier.apply(last) }
    #expect(error?.code == .temporary)
    #expect(try pair.rows(1) == [])
  }

  @Test("what is being written when another file is moved over the path is undone")
  func movedWhileWriting() throws {
    // A rollback journal would not be made beside another file; a log is there already.
    let store = try TemporaryStore(sql: Self.table)
    try store.track()
    let replica = try ReplicaStore(path: store.path)
    let away = store.directory.file("away")
    let error = #expect(throws: HistoryError.self) {
      try replica.write {
        try replica.connection.execute("INSERT INTO t VALUES (1, 'a')")
        for end in ["", "-wal", "-shm"] { try #require(rename(store.path + end, away + end) == 0) }
        return ((), nil)
      }
    }
    #expect(error?.code == .temporary)
    #expect(try Connection(path: away, access: .readWrite).rows("SELECT * FROM t").isEmpty)
  }

  @Test("whoever asks where it stands goes on from there with the same applier")
  func asksAgain() async throws {
    try await pair.write(0, "INSERT INTO t VALUES (1, 'a')")
    let applier = try HistoryApplier(path: target.path)
    let source = try pair.stores[0].opened().state().storeIdentifier
    let backup = try backUp()
    try applier.apply(pair.history(0)[0])
    try restore(backup, .inPlace)
    try await pair.write(0, "INSERT INTO t VALUES (2, 'a')")
    #expect(throws: HistoryError.self) { try applier.apply(pair.history(0)[1]) }
    #expect(try applier.position(of: source) == nil)
    for transaction in try pair.history(0) { try applier.apply(transaction) }
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test(
    "rows that were changed here since it was restored still conflict, whatever number they have")
  func conflicts() async throws {
    try await pair.write(0, "INSERT INTO t VALUES (1, 'a'), (2, 'a')")
    let applier = try HistoryApplier(path: target.path)
    try applier.apply(pair.history(0)[0])
    let backup = try backUp()
    try await pair.write(0, "INSERT INTO t VALUES (3, 'a')")
    let second = try pair.history(0)[1]
    try applier.apply(second)
    try restore(backup, .inPlace)
    // It gets the numbers that the second transaction had.
    try await pair.write(1, "UPDATE t SET a = 'here' WHERE id = 1")
    #expect(try applier.position(of: second.storeIdentifier) != nil)
    try applier.apply(second)
    try await pair.write(0, "UPDATE t SET a = 'there' WHERE id = 1")
    #expect(throws: ConflictError.self) { try applier.apply(pair.history(0)[2]) }
  }
}
