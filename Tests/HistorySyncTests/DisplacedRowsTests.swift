import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("Rows in the way of another store's unique values")
struct DisplacedRowsTests {
  private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE)"

  /// Two stores, of which the second has made a row with a unique value that the first one uses, too.
  private func pair(_ capture: Capture?) async throws -> SyncPair {
    let pair = try SyncPair(Self.table, capture: capture)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1)")
    try pair.follow(1, from: 0)
    try await pair.write(1, "INSERT INTO t VALUES (3, 'own', 77), (4, 'kept', 78)")
    try await pair.write(
      0, "INSERT INTO t VALUES (2, 'source', 77); UPDATE t SET a = 'y' WHERE id = 1")
    return pair
  }

  @Test(
    "the source wins: the row is deleted, told, and kept as a conflict",
    arguments: [Capture.changes, .full])
  func source(capture: Capture) async throws {
    let pair = try await pair(capture)
    let outcomes = try pair.follow(1, from: 0, .source)
    #expect(try pair.rows(1) == pair.rows(0) + [[4, "kept", 78]])
    guard case .applied(let conflicts) = outcomes.last else {
      Issue.record("it was not applied")
      return
    }
    #expect(conflicts.count == 1)
    let conflict = try #require(conflicts.first)
    #expect(conflict.operation == .delete)
    #expect(conflict.key["id"] == 3)
    #expect(conflict.ours?["a"] == "own")
    #expect(conflict.theirs == nil)
    #expect(conflict.outcome == .source)
    let kept = try HistoryApplier(path: pair.stores[1].path)
    #expect(try kept.conflictLines() == [conflict.line])
    // Third stores hear of it.
    #expect(try pair.lines(1).suffix(3).contains { $0.contains("delete") && $0.contains("own") })
  }

  @Test(
    "no other rule decides it, and nothing is changed",
    arguments: [ConflictPolicy.stop, .target, .newest])
  func undecided(policy: ConflictPolicy) async throws {
    let pair = try await pair(nil)
    let before = try pair.rows(1)
    let error = #expect(throws: HistoryError.self) { try pair.follow(1, from: 0, policy) }
    #expect(error?.code == .conflict)
    #expect(try pair.rows(1) == before)
  }

  @Test("values that move within the source's transaction displace nobody")
  func swapped() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2)")
    try pair.follow(1, from: 0)
    try await pair.write(
      0,
      "UPDATE t SET b = -b; UPDATE t SET b = 3 + b; DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (1, 'z', 2)"
    )
    let outcomes = try pair.follow(1, from: 0, .source)
    #expect(outcomes.last == .applied(conflicts: []))
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("a snapshot counts them, and not among those that are kept")
  func snapshot() async throws {
    let pair = try await pair(nil)
    let outcome = try pair.takeRows(1, from: 0)
    #expect([outcome.inserted, outcome.updated, outcome.deleted, outcome.kept] == [1, 1, 0, 1])
    #expect(outcome.displaced == 1)
    #expect(try pair.rows(1) == pair.rows(0) + [[4, "kept", 78]])
  }
}
