import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// What becomes of positions when a store goes on from an older state of itself.
@Suite("Epochs")
struct EpochTests {
  /// A store that went on after a backup was made of it, and the backup, restored.
  private struct Restored {
    let old: TemporaryStore
    let path: String
    /// Positions of the old store: before the backup's head, at it, and after it.
    let before: HistoryToken
    let atHead: HistoryToken
    let after: HistoryToken

    init(omitsTimes: Bool = false) throws {
      old = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
      try old.track(capture: .keys, omitsTimes: omitsTimes)
      let writer = try old.connection()
      try writer.execute("INSERT INTO t(id) VALUES (1)")
      before = try old.opened().state().head
      try writer.execute("INSERT INTO t(id) VALUES (2)")
      atHead = try old.opened().state().head
      path = old.directory.file("restored.sqlite")
      try Backup.copy(from: writer, to: path)
      try writer.execute("INSERT INTO t(id) VALUES (3)")
      after = try old.opened().state().head
    }

    func begin(after epoch: UInt32 = 1) throws -> UInt32 {
      try begin(after: epoch, in: path)
    }

    func begin(after epoch: UInt32, in path: String) throws -> UInt32 {
      let connection = try Connection(path: path)
      return try connection.transaction(.immediate) {
        try StoreEpochs(connection).begin(after: epoch)
      }
    }

    func opened() throws -> TrackedStore { try TrackedStore(path: path, access: .readWrite) }

    func isUsable(_ token: HistoryToken) throws -> Bool {
      if case .usable = try opened().resolve(.after(token)).position { return true }
      return false
    }
  }

  @Test("the new epoch is later than the store's own and than the one that is named")
  func number() throws {
    let restored = try Restored()
    #expect(try StoreEpochs(Connection(path: restored.path)).current() == 1)
    #expect(try restored.begin(after: 0) == 2)
    #expect(try restored.begin(after: 7) == 8)
    #expect(try restored.begin(after: 3) == 9)
    #expect(try restored.opened().state().epoch == 9)
    #expect(try restored.opened().state().head.epoch == 9)
  }

  @Test("a database without history has no epoch, and cannot begin one")
  func untracked() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let epochs = StoreEpochs(try store.connection())
    #expect(try epochs.current() == nil)
    #expect(throws: HistoryError.self) { try epochs.begin(after: 1) }
  }

  @Test("positions up to the backup's head stay good, and what follows them is what was there")
  func staysGood() throws {
    let restored = try Restored()
    _ = try restored.begin()
    #expect(try restored.isUsable(restored.before))
    #expect(try restored.isUsable(restored.atHead))
    let recorder = try HistoryRecorder(restored.opened(), after: restored.before)
    #expect(try recorder.read() == .atHead)
    #expect(recorder.lines.count == 1)
    #expect(recorder.reader.token.epoch == 2)
  }

  @Test(
    "a position beyond the backup's head was of a restored store, also once there is a row like it",
    arguments: [false, true])
  func beyond(omitsTimes: Bool) throws {
    let restored = try Restored(omitsTimes: omitsTimes)
    _ = try restored.begin()
    #expect(
      try restored.opened().resolve(.after(restored.after)).position
        == .expired(restored.after, .storeRestored))
    // The very same row: without times nothing in the history tells it from the one that is gone.
    try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (3), (4), (5)")
    #expect(
      try restored.opened().resolve(.after(restored.after)).position
        == .expired(restored.after, .storeRestored))
    let consumers = Consumers(try restored.opened())
    let error = #expect(throws: HistoryError.self) {
      try consumers.create("late", at: .after(restored.after))
    }
    #expect(error?.expiryReason == .storeRestored)
  }

  @Test("positions that the restored store hands out are its own, and are not the old store's")
  func own() throws {
    let restored = try Restored()
    _ = try restored.begin()
    try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (9)")
    let token = try restored.opened().state().head
    #expect(try restored.isUsable(token))
    #expect(
      try restored.old.opened().resolve(.after(token)).position == .expired(token, .storeRestored))
  }

  @Test("of an epoch that the backup never went through only what came before it is left")
  func otherBranch() throws {
    let restored = try Restored(omitsTimes: true)
    // The old store is itself restored to an older state, goes on, and hands out a position.
    #expect(try restored.begin(after: 1, in: restored.old.path) == 2)
    try restored.old.connection().execute("INSERT INTO t(id) VALUES (4)")
    let other = try restored.old.opened().state().head
    #expect(try restored.begin(after: 2) == 3)
    try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (3), (4)")
    #expect(try !restored.isUsable(other))
    #expect(try restored.isUsable(restored.atHead))
  }

  @Test("consumers of the backup go on where they were")
  func consumers() throws {
    let restored = try Restored()
    _ = try Consumers(restored.opened()).create("c", at: .after(restored.before))
    _ = try restored.begin()
    try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (7)")
    let token = try Consumers(restored.opened()).position(of: "c")
    #expect(token == restored.before)
    let recorder = try HistoryRecorder(restored.opened(), after: token)
    try recorder.read()
    #expect(recorder.lines.count == 2)
    try Consumers(restored.opened()).acknowledge("c", recorder.reader.token)
    #expect(try Consumers(restored.opened()).list().map(\.lag) == [0])
  }

  @Test("what was trimmed is told as trimmed, and what is beyond the restored head as restored")
  func trimmed() throws {
    let restored = try Restored()
    _ = try restored.begin()
    try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (7), (8), (9)")
    let store = try restored.opened()
    _ = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: true)
    #expect(
      try store.resolve(.after(restored.before)).position == .expired(restored.before, .trimmed))
    #expect(
      try store.resolve(.after(restored.after)).position
        == .expired(restored.after, .storeRestored))
  }

  @Test("what is kept is kept from a position of an earlier epoch as from one of this one")
  func trimmedThrough() throws {
    for isForced in [false, true] {
      let restored = try Restored()
      #expect(try restored.begin(after: 6) == 7)
      try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (7), (8)")
      let store = try restored.opened()
      let outcome = try HistoryTrimmer(store).trim(
        keeping: .after(restored.before), isForced: isForced)
      #expect(outcome.changes == 1)
      #expect(outcome.oldest.sequence == restored.before.sequence)
      #expect(try restored.isUsable(restored.before))
      #expect(try restored.isUsable(restored.atHead))
    }
  }

  @Test("a consumer at a position of an earlier epoch holds back what it has not read, and no more")
  func heldByEarlier() throws {
    let restored = try Restored()
    _ = try Consumers(restored.opened()).create("c", at: .after(restored.atHead))
    _ = try restored.begin()
    try Connection(path: restored.path).execute("INSERT INTO t(id) VALUES (7), (8)")
    let store = try restored.opened()
    let outcome = try HistoryTrimmer(store).trim(keeping: .newest(0), isForced: false)
    #expect(outcome.heldBy == "c")
    #expect(outcome.changes == 2)
    #expect(outcome.oldest.sequence == restored.atHead.sequence)
    #expect(try restored.isUsable(restored.atHead))
    #expect(
      try store.resolve(.after(restored.before)).position == .expired(restored.before, .trimmed))
  }

  @Test("a reader in the middle of a transaction when the epoch begins reads it to its end")
  func inTheMiddle() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
    try store.track()
    let writer = try store.connection()
    try writer.execute("INSERT INTO t(id) VALUES (1), (2), (3), (4)")
    let opened = try store.opened()
    let reader = try HistoryReader(opened, after: opened.state().oldest)
    var count = 0
    func page() throws -> ReadingState {
      try reader.read { item in
        if case .change = item { count += 1 }
        return .pause
      }
    }
    #expect(try page() == .more)
    _ = try writer.transaction(.immediate) { try StoreEpochs(writer).begin(after: 1) }
    try writer.execute("INSERT INTO t(id) VALUES (5)")
    var state = ReadingState.more
    while state == .more { state = try page() }
    #expect(state == .atHead)
    #expect(count == 5)
    #expect(try reader.token == opened.state().head)
  }
}
