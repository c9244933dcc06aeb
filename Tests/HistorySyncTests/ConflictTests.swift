import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("Sync conflicts")
struct ConflictTests {
  /// Two stores that agree on one row, which both have changed since.
  private func changedOnBothSides(
    _ source: String = "UPDATE t SET a = 'source' WHERE id = 1",
    _ target: String = "UPDATE t SET b = 'target' WHERE id = 1"
  ) async throws -> SyncPair {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try await pair.write(0, "INSERT INTO t VALUES (1, 'both', 'both'), (2, 'two', 'two')")
    try pair.follow(1, from: 0)
    try await pair.write(0, source)
    try await pair.write(1, target)
    return pair
  }

  private func conflicts(_ outcomes: [HistoryApplier.Outcome]) -> [SyncConflict] {
    outcomes.flatMap { outcome -> [SyncConflict] in
      guard case .applied(let conflicts) = outcome else { return [] }
      return conflicts
    }
  }

  @Test("nobody decides: nothing of the transaction is applied, and the rows are named")
  func stop() async throws {
    let pair = try await changedOnBothSides(
      "UPDATE t SET a = 'source'; INSERT INTO t VALUES (3, 3, 3)")
    let error = #expect(throws: ConflictError.self) { try pair.follow(1, from: 0) }
    #expect(error?.conflicts.map(\.outcome) == [.stopped])
    #expect(error?.conflicts.first?.key["id"] == 1)
    #expect(error?.conflicts.first?.ours?["b"] == "target")
    #expect(try pair.rows(1) == [[1, "both", "target"], [2, "two", "two"]])
    // It is decided later, from the same place.
    let outcomes = try pair.follow(1, from: 0, .source)
    #expect(conflicts(outcomes).count == 1)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("the source wins: the row becomes what the source has, all of it")
  func source() async throws {
    let pair = try await changedOnBothSides()
    let found = conflicts(try pair.follow(1, from: 0, .source))
    #expect(found.map(\.outcome) == [.source])
    #expect(try pair.rows(1) == pair.rows(0))
    let kept = try HistoryApplier(path: pair.stores[1].path)
    #expect(try kept.conflictLines() == found.map(\.line))
    try kept.acknowledgeConflicts()
    #expect(try kept.conflictLines() == [])
    // They agree now.
    try await pair.write(0, "UPDATE t SET a = 'later' WHERE id = 1")
    #expect(try conflicts(pair.follow(1, from: 0)) == [])
  }

  @Test("the target wins: its row stays, also when the source goes on changing it")
  func target() async throws {
    let pair = try await changedOnBothSides()
    #expect(conflicts(try pair.follow(1, from: 0, .target)).map(\.outcome) == [.target])
    #expect(try pair.rows(1)[0] == [1, "both", "target"])
    try await pair.write(0, "UPDATE t SET b = 'more' WHERE id = 1")
    #expect(conflicts(try pair.follow(1, from: 0, .target)).count == 1)
    #expect(try pair.rows(1)[0] == [1, "both", "target"])
    // When the source wins at last, all that it has counts, also what was passed over.
    try await pair.write(0, "UPDATE t SET b = 'most' WHERE id = 1")
    try pair.follow(1, from: 0, .source)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test(
    "an update against a delete is a conflict, whoever deletes",
    arguments: [
      ("UPDATE t SET a = 'source' WHERE id = 1", "DELETE FROM t WHERE id = 1"),
      ("DELETE FROM t WHERE id = 1", "UPDATE t SET b = 'target' WHERE id = 1"),
      ("INSERT INTO t VALUES (5, 'source', 1)", "INSERT INTO t VALUES (5, 'target', 2)"),
      ("UPDATE t SET id = 7 WHERE id = 1", "UPDATE t SET b = 'target' WHERE id = 1"),
      (
        "UPDATE t SET a = 'source' WHERE id = 1",
        "UPDATE t SET b = 'x' WHERE id = 1; DELETE FROM t WHERE id = 1"
      ),
    ])
  func kinds(source: String, target: String) async throws {
    let pair = try await changedOnBothSides(source, target)
    #expect(throws: ConflictError.self) { try pair.follow(1, from: 0) }
    let before = try pair.rows(1)
    let kept = try await changedOnBothSides(source, target)
    #expect(conflicts(try kept.follow(1, from: 0, .target)).count == 1)
    #expect(try kept.rows(1) == before)
    #expect(conflicts(try pair.follow(1, from: 0, .source)).count == 1)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("what both did alike is no conflict")
  func alike() async throws {
    let deleted = try await changedOnBothSides(
      "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1")
    #expect(conflicts(try deleted.follow(1, from: 0)) == [])
    let inserted = try await changedOnBothSides(
      "INSERT INTO t VALUES (5, 'x', 1)", "INSERT INTO t VALUES (5, 'x', 1)")
    #expect(conflicts(try inserted.follow(1, from: 0)) == [])
    #expect(try inserted.rows(1) == inserted.rows(0))
  }

  @Test("rows that only one side changed are no conflict, and what the other has seen is not")
  func seen() async throws {
    let pair = try await changedOnBothSides("UPDATE t SET a = 'source' WHERE id = 2")
    #expect(conflicts(try pair.follow(1, from: 0)) == [])
    try pair.follow(0, from: 1)
    #expect(try pair.rows(0) == pair.rows(1))
    // The source changes what it got from the target.
    try await pair.write(0, "UPDATE t SET a = 'answer'")
    #expect(conflicts(try pair.follow(1, from: 0)) == [])
    #expect(try pair.rows(0) == pair.rows(1))
  }

  @Test("the newest wins on both sides, which become equal")
  func newest() async throws {
    let pair = try await changedOnBothSides()
    try pair.follow(1, from: 0, .newest)
    try pair.follow(0, from: 1, .newest)
    try pair.follow(1, from: 0, .newest)
    #expect(try pair.rows(0) == pair.rows(1))
  }

  /// When the source's change was made, by how many milliseconds after the target's.
  enum Moment: CaseIterable { case earlier, later, equal, unknown }

  @Test(
    "the newest wins by its time, and by identity at the same millisecond",
    arguments: Moment.allCases)
  func newestByTime(moment: Moment) async throws {
    let pair = try await changedOnBothSides()
    let change = try #require(try pair.history(0).last)
    let ours = try #require(try pair.history(1).last?.timestamp)
    let identities = try pair.stores.map { try $0.opened().state().storeIdentifier }
    let time: CalendarTime? =
      switch moment {
      case .earlier: CalendarTime(milliseconds: ours.milliseconds - 1)
      case .later: CalendarTime(milliseconds: ours.milliseconds + 1)
      case .equal: ours
      case .unknown: nil
      }
    let timed = HistoryTransaction(
      TransactionRecord(number: change.number, author: "app", isTagged: true, timestamp: time),
      changes: change.changes, token: change.token)
    let applier = try HistoryApplier(path: pair.stores[1].path, policy: .newest)
    let row = try pair.rows(1)[0]
    switch moment {
    case .unknown:
      let error = #expect(throws: ConflictError.self) { try applier.apply(timed) }
      #expect(error?.conflicts.map(\.outcome) == [.stopped])
      #expect(error?.error.hint?.contains("newest") == false)
      #expect(try pair.rows(1)[0] == row)
    case .earlier, .later, .equal:
      let isGreater = identities[1].bytes.lexicographicallyPrecedes(identities[0].bytes)
      let wins = moment == .later || moment == .equal && isGreater
      let outcomes = conflicts([try applier.apply(timed)]).map(\.outcome)
      #expect(outcomes == [wins ? .source : .target])
      #expect(try pair.rows(1)[0] == (wins ? [1, "source", "both"] : row))
    }
  }

  @Test("an error counts what nobody decided, not what was decided beside it")
  func stoppedAmongDecided() async throws {
    let pair = try await changedOnBothSides()
    // A row of which no history tells when it was made.
    let connection = try pair.stores[1].connection()
    connection.setTriggersEnabled(false)
    try connection.execute("INSERT INTO t VALUES (5, 'own', 5)")
    try await pair.write(
      0, "UPDATE t SET a = 'again' WHERE id = 1; INSERT INTO t VALUES (5, 'theirs', 5)")
    let error = #expect(throws: ConflictError.self) { try pair.follow(1, from: 0, .newest) }
    #expect(error?.conflicts.map(\.key) == [["id": 5]])
    #expect(error?.conflicts.map(\.outcome) == [.stopped])
    #expect(error?.error.message.hasPrefix("1 row was") == true)
    #expect(error?.error.hint?.contains("newest") == false)
  }

  @Test("where what is kept of the source's row cannot be read, nothing is decided")
  func unreadableBase() async throws {
    let pair = try await changedOnBothSides()
    try pair.follow(1, from: 0, .target)
    try pair.stores[1].connection().execute("UPDATE _history_sync_row SET base = '[1,'")
    try await pair.write(0, "UPDATE t SET b = 'most' WHERE id = 1")
    let before = try pair.rows(1)
    let error = #expect(throws: HistoryError.self) { try pair.follow(1, from: 0, .source) }
    #expect(error?.code == .conflict)
    #expect(try pair.rows(1) == before)
  }

  @Test("a follower whose history was trimmed before it could decide stops")
  func trimmed() async throws {
    let pair = try await changedOnBothSides()
    let store = try pair.stores[1].opened()
    _ = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: true)
    let error = #expect(throws: HistoryError.self) { try pair.follow(1, from: 0, .source) }
    #expect(error?.code == .conflict)
  }

  @Test("so does one that was following when its history was trimmed")
  func trimmedMeanwhile() async throws {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try await pair.write(0, "INSERT INTO t VALUES (1, 'both', 'both'), (2, 'two', 'two')")
    let applier = try HistoryApplier(path: pair.stores[1].path, policy: .source)
    for transaction in try pair.history(0) { try applier.apply(transaction) }
    try await pair.write(1, "UPDATE t SET b = 'target' WHERE id = 1")
    try await pair.write(1, "UPDATE t SET b = 'target' WHERE id = 2")
    _ = try HistoryTrimmer(pair.stores[1].opened()).trim(keeping: .newest(0), isForced: true)
    try await pair.write(0, "UPDATE t SET a = 'source' WHERE id = 1")
    let before = try pair.rows(1)
    let next = try #require(try pair.history(0).last)
    let fresh = #expect(throws: HistoryError.self) { try pair.follow(1, from: 0, .source) }
    #expect(fresh?.code == .conflict)
    for _ in 0..<2 {
      let error = #expect(throws: HistoryError.self) { try applier.apply(next) }
      #expect(error?.code == .conflict)
      #expect(error?.message == fresh?.message)
    }
    #expect(try pair.rows(1) == before)
  }

  @Test("an echo does not make it forget that, until the rows are compared")
  func trimmedBeforeEcho() async throws {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try await pair.write(0, "INSERT INTO t VALUES (1, 'both', 'both'), (2, 'both', 'both')")
    try pair.follow(1, from: 0)
    try await pair.write(1, "UPDATE t SET b = 'seen' WHERE id = 1")
    try pair.follow(0, from: 1)
    try await pair.write(1, "UPDATE t SET b = 'unseen' WHERE id = 2")
    _ = try HistoryTrimmer(pair.stores[1].opened()).trim(keeping: .newest(0), isForced: true)
    // What was made here comes back.
    #expect(try pair.follow(1, from: 0) == [.known, .known])
    try await pair.write(0, "UPDATE t SET a = 'source' WHERE id = 2")
    let before = try pair.rows(1)
    for _ in 0..<2 {
      let error = #expect(throws: HistoryError.self) { try pair.follow(1, from: 0, .source) }
      #expect(error?.code == .conflict)
    }
    #expect(try pair.rows(1) == before)
    try pair.takeRows(1, from: 0)
    try await pair.write(0, "UPDATE t SET a = 'again' WHERE id = 2")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("what was trimmed is no reason to stop where the source has seen it")
  func trimmedAndSeen() async throws {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)")
    try await pair.write(1, "INSERT INTO t VALUES (1, 'both', 'both'), (2, 'both', 'both')")
    _ = try HistoryTrimmer(pair.stores[1].opened()).trim(keeping: .newest(0), isForced: true)
    // The source begins with our rows, and so with all that was trimmed.
    try pair.takeRows(0, from: 1)
    try await pair.write(0, "UPDATE t SET a = 'source' WHERE id = 2")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0))
    // What is made here from now on is there to decide.
    try await pair.write(1, "UPDATE t SET b = 'target' WHERE id = 2")
    try await pair.write(0, "UPDATE t SET a = 'again' WHERE id = 2")
    #expect(throws: ConflictError.self) { try pair.follow(1, from: 0) }
  }

  @Test("a follower that nobody else writes to goes on, however its history is trimmed")
  func trimmedFollower() async throws {
    let pair = try await changedOnBothSides("UPDATE t SET a = 1", "UPDATE t SET b = 1 WHERE id = 9")
    try pair.follow(1, from: 0)
    _ = try HistoryTrimmer(pair.stores[1].opened()).trim(keeping: .newest(0), isForced: true)
    try await pair.write(0, "UPDATE t SET a = 2")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("the line of a conflict has both sides and the outcome")
  func line() async throws {
    let pair = try await changedOnBothSides()
    let found = conflicts(try pair.follow(1, from: 0, .target))
    let line = try #require(found.first?.line)
    let value = try JSONValue(parsing: Array(line.utf8)[...])
    let fields = try #require(value.object)
    #expect(
      fields.names == [
        "kind", "source", "transaction", "author", "table", "op", "key", "theirs", "ours",
        "outcome",
      ])
    #expect(
      line.hasSuffix(
        #""key":{"id":1},"theirs":{"a":"source"},"ours":{"id":1,"a":"both","b":"target"},"outcome":"target"}"#
      ))
  }
}
