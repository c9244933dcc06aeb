import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("Stream applier")
struct StreamApplierTests {
  private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a)"

  /// The lines of a store's stream from a position on.
  private func lines(
    _ pair: SyncPair, after start: HistoryToken? = nil, isWhole: Bool = true
  ) throws -> [String] {
    let store = try pair.stores[0].opened()
    let state = try store.state()
    let first = start ?? state.oldest
    var encoder = LineEncoder()
    encoder.hello(
      start == nil ? .new : .continue, token: first, oldest: state.oldest, head: state.head)
    let reader = try HistoryReader(store, after: first)
    var reading = ReadingState.more
    while reading == .more {
      reading = try reader.read { item in
        switch item {
        case .change(let change, let index, let record):
          encoder.change(change, in: reader.values, index: index, of: record)
        case .commit(let record, let changes, let token):
          encoder.commit(record, changes: changes, token: token)
        case .notice(let notice, let token): encoder.notice(notice, token: token)
        }
        return .goOn
      }
    }
    if isWhole { encoder.bye(.end, token: reader.token) }
    return String(decoding: encoder.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func take(_ lines: [String], into pair: SyncPair) throws {
    let applier = StreamApplier(try HistoryApplier(path: pair.stores[1].path))
    for line in lines { _ = try applier.take(Array(line.utf8)[...]) }
    try applier.finish()
  }

  private func code(_ body: () throws -> Void) -> HistoryError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? HistoryError)?.code
    }
  }

  @Test("the lines of a stream are applied, and again without effect")
  func applied() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x'), (2, 0.1)")
    try pair.writeUntagged(0, "UPDATE t SET a = 2 WHERE id = 1")
    try take(lines(pair), into: pair)
    try take(lines(pair), into: pair)
    #expect(try pair.rows(1) == pair.rows(0))
    #expect(try pair.lines(1) == pair.lines(0))
  }

  @Test("wherever a stream breaks off, whole transactions are applied and the rest comes later")
  func broken() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    try await pair.write(0, "DELETE FROM t; INSERT INTO t VALUES (3, 'z')")
    let all = try lines(pair)
    for end in 0..<all.count {
      _ = code { try take(Array(all[..<end]), into: pair) }
      let ids = try pair.rows(1).map { $0[0] }
      #expect([[], [1, 2], [3]].contains(ids))
    }
    try take(all, into: pair)
    #expect(try pair.rows(1) == pair.rows(0))
    #expect(try pair.history(1).count == 2)
  }

  @Test("a run of untagged changes that came in parts is not applied again in one")
  func parts() async throws {
    let pair = try SyncPair(Self.table)
    try pair.writeUntagged(0, "INSERT INTO t VALUES (1, 0)")
    try take(lines(pair), into: pair)
    try pair.writeUntagged(0, "UPDATE t SET a = a + 1; UPDATE t SET a = a + 1")
    try take(lines(pair), into: pair)
    try pair.writeUntagged(0, "UPDATE t SET a = a + 1; INSERT INTO t VALUES (2, 0)")
    try take(lines(pair), into: pair)
    #expect(try pair.rows(1) == [[1, 3], [2, 0]])
    #expect(try pair.lines(1) == pair.lines(0))
  }

  @Test("a stream that begins after what is held is refused, and so is one of the store itself")
  func refused() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 1)")
    let first = try lines(pair)
    try take(first, into: pair)
    try await pair.write(0, "INSERT INTO t VALUES (2, 2)")
    let middle = try pair.stores[0].opened().state().head
    try await pair.write(0, "INSERT INTO t VALUES (3, 3)")
    let late = try lines(pair, after: middle)
    #expect(code { try take(late, into: pair) } == .discontinuity)
    #expect(try pair.rows(1).count == 1)
    try take(lines(pair), into: pair)
    #expect(try pair.rows(1).count == 3)
    let own = StreamApplier(try HistoryApplier(path: pair.stores[0].path))
    #expect(
      code { for line in first { _ = try own.take(Array(line.utf8)[...]) } } == .foreignToken)
  }

  @Test("a gap ends it, with what came before it applied")
  func gap() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 1)")
    try await pair.write(0, "INSERT INTO t VALUES (2, 2)")
    var all = try lines(pair)
    all.insert(
      #"{"kind":"gap","table":"t","reason":"capture-was-missing"}"#, at: 3)
    #expect(code { try take(all, into: pair) } == .historyTokenExpired)
    #expect(try pair.rows(1) == [[1, 1]])
  }

  @Test("what is no line of a stream is named by its number")
  func damaged() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 1)")
    let all = try lines(pair)
    #expect(code { try take(Array(all.dropFirst()), into: pair) } == .usage)
    #expect(code { try take([all[0], #"{"kind":"change"}"#], into: pair) } == .usage)
    #expect(code { try take([all[0], all[0]], into: pair) } == .discontinuity)
  }

  @Test("a source that was restored to another state is recognised")
  func restored() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 1)")
    let copy = pair.stores[0].directory.file("copy")
    try Backup.copy(from: pair.stores[0].connection(), to: copy)
    try await pair.write(0, "INSERT INTO t VALUES (2, 2)")
    try take(lines(pair), into: pair)
    try Backup.copy(from: Connection(path: copy), into: pair.stores[0].connection())
    #expect(code { try take(lines(pair), into: pair) } == .historyTokenExpired)
    try await pair.write(0, "INSERT INTO t VALUES (2, 'other')")
    #expect(code { try take(lines(pair), into: pair) } == .historyTokenExpired)
  }

  @Test("other columns, a table that is not tracked, and a key with NULL are told before anything")
  func differing() async throws {
    let pair = try SyncPair(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE n(k PRIMARY KEY)")
    try pair.stores[1].connection().execute("ALTER TABLE t ADD COLUMN more")
    try await pair.write(0, "INSERT INTO t VALUES (1, 1)")
    #expect(code { try take(lines(pair), into: pair) } == .tablesDiffer)
    let other = try SyncPair(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE n(k PRIMARY KEY)")
    try other.stores[1].connection().execute("DROP TABLE n")
    try await other.write(0, "INSERT INTO n VALUES (1)")
    #expect(code { try take(lines(other), into: other) } == .tablesDiffer)
    let null = try SyncPair("CREATE TABLE n(k PRIMARY KEY)")
    try await null.write(0, "INSERT INTO n VALUES (NULL)")
    #expect(code { try take(lines(null), into: null) } == .tablesDiffer)
  }

  @Test("a source that was restored and grew past what is held is refused, also from its start")
  func restoredAndGrown() async throws {
    for isHeldTagged in [true, false] {
      let pair = try SyncPair(Self.table)
      try await pair.write(0, "INSERT INTO t VALUES (1, 1)")
      let copy = pair.stores[0].directory.file("copy")
      try Backup.copy(from: pair.stores[0].connection(), to: copy)
      for id in 2...4 { try await pair.write(0, "INSERT INTO t VALUES (\(id), \(id))") }
      if !isHeldTagged { try pair.writeUntagged(0, "INSERT INTO t VALUES (5, 5)") }
      try take(lines(pair), into: pair)
      // What was applied may come again, whole or in part.
      try take(lines(pair), into: pair)
      let rows = try pair.rows(1)
      try Backup.copy(from: Connection(path: copy), into: pair.stores[0].connection())
      for id in 12...18 { try await pair.write(0, "INSERT INTO t VALUES (\(id), 0)") }
      #expect(code { try take(lines(pair), into: pair) } == .historyTokenExpired)
      #expect(try pair.rows(1) == rows)
    }
  }

  @Test("the rows of a source that was restored to an earlier state are refused")
  func restoredRows() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x')")
    let early = try pair.stores[0].opened().state().head
    try await pair.write(0, "INSERT INTO t VALUES (2, 'y')")
    try take(lines(pair), into: pair)
    let held = try pair.stores[0].opened().state().head
    let other = HistoryToken(
      storeIdentifier: held.storeIdentifier, epoch: held.epoch, sequence: held.sequence,
      check: held.check &+ 1)
    for token in [early, other] {
      var encoder = LineEncoder()
      encoder.hello(.snapshot, token: token, oldest: token, head: token)
      encoder.snapshotBegin(token, tables: [])
      encoder.snapshotEnd(token)
      let rows = String(decoding: encoder.bytes, as: UTF8.self).split(separator: "\n")
      #expect(code { try take(rows.map(String.init), into: pair) } == .historyTokenExpired)
    }
  }
}
