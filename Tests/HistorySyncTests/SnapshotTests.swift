import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("Snapshots in sync")
struct SnapshotTests {
  private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE)"

  /// Gives the rows of the first store to the second.
  @discardableResult
  private func snapshot(
    _ pair: SyncPair, _ policy: ConflictPolicy = .stop, resynchronizes: Bool
  ) throws -> SnapshotOutcome {
    try pair.takeRows(1, from: 0, policy, resynchronizes: resynchronizes)
  }

  @Test("a store that has nothing begins with the rows, and goes on from their position")
  func initial() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1), (2, 0.5, 2)")
    #expect(try snapshot(pair, resynchronizes: false).inserted == 2)
    #expect(try pair.rows(1) == pair.rows(0))
    try await pair.write(0, "UPDATE t SET a = 'y' WHERE id = 1")
    #expect(try pair.follow(1, from: 0).count == 2)
    #expect(try pair.rows(1) == pair.rows(0))
    #expect(try pair.history(1).count == 2)
  }

  @Test("rows that differ are fixed, stale ones go, and what the target made itself stays")
  func resync() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', 3)")
    try pair.follow(1, from: 0)
    try await pair.write(0, "DELETE FROM t WHERE id = 3; UPDATE t SET b = -b")
    try await pair.write(0, "UPDATE t SET b = 3 + b; INSERT INTO t VALUES (4, 'w', 4)")
    try await pair.write(
      1, "INSERT INTO t VALUES (9, 'own', 9); UPDATE t SET a = 'own' WHERE id = 2")
    let outcome = try snapshot(pair, resynchronizes: true)
    // One of the rows that swapped a unique value is put in the way of the other, and in again.
    #expect([outcome.inserted, outcome.updated, outcome.deleted, outcome.kept] == [2, 1, 1, 1])
    #expect(try pair.rows(1) == pair.rows(0) + [[9, "own", 9]])
    // Both go on from there.
    try await pair.write(0, "UPDATE t SET a = 'later'")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0) + [[9, "own", 9]])
    try pair.follow(0, from: 1, .target)
    #expect(try pair.stores[1].opened().check().filter(\.needsAttention) == [])
  }

  @Test("a row that is here and differs is not overwritten unless the source wins")
  func different() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1)")
    try await pair.write(1, "INSERT INTO t VALUES (1, 'own', 1)")
    let error = #expect(throws: HistoryError.self) { try snapshot(pair, resynchronizes: false) }
    #expect(error?.code == .conflict)
    #expect(try pair.rows(1) == [[1, "own", 1]])
    #expect(try snapshot(pair, .source, resynchronizes: false).updated == 1)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("a copy with an identity of its own goes on from where it was made")
  func copied() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1)")
    try Backup.copy(
      from: pair.stores[0].connection(), into: pair.stores[1].connection())
    let own = #expect(throws: HistoryError.self) { try pair.follow(1, from: 0) }
    #expect(own?.code == .foreignToken)
    try Tracker(pair.stores[1].opened()).track(Tracker.Request(makesNewIdentity: true))
    try await pair.write(0, "UPDATE t SET a = 'y'; INSERT INTO t VALUES (2, 'z', 2)")
    #expect(try pair.follow(1, from: 0) == [.known, .applied(conflicts: [])])
    #expect(try pair.rows(1) == pair.rows(0))
    #expect(try pair.stores[1].opened().check().filter(\.needsAttention) == [])
  }

  @Test("dropping the history drops what is kept of other stores")
  func dropped() async throws {
    let pair = try SyncPair(Self.table)
    let schema = "SELECT name FROM sqlite_schema WHERE name LIKE '%history%'"
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1)")
    try pair.follow(1, from: 0)
    try Untracker(pair.stores[1].opened()).dropHistory()
    #expect(try pair.stores[1].connection().rows(schema) == [])
  }
}
