import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite("Store look")
struct StoreLookTests {
  private func tracked(_ journal: TemporaryStore.Journal = .wal) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)", journal: journal)
    try store.track()
    return store
  }

  @Test("the first look finds a change, the next none", arguments: TemporaryStore.Journal.allCases)
  func first(journal: TemporaryStore.Journal) throws {
    let store = try tracked(journal)
    let look = try StoreLook(store.opened())
    #expect(look.look() == .changed)
    #expect(look.look() == .unchanged)
  }

  @Test(
    "a commit of another connection or process is found once",
    arguments: TemporaryStore.Journal.allCases)
  func commits(journal: TemporaryStore.Journal) throws {
    let store = try tracked(journal)
    let look = try StoreLook(store.opened())
    _ = look.look()
    let writer = try store.connection()
    try writer.execute("INSERT INTO t VALUES (1)")
    #expect(look.look() == .changed)
    #expect(look.look() == .unchanged)
    let process = try WriterProcess(path: store.path)
    try process.run("INSERT INTO t VALUES (2); INSERT INTO t VALUES (3)")
    #expect(look.look() == .changed)
    #expect(look.look() == .unchanged)
  }

  @Test("what was rolled back is no change")
  func rolledBack() throws {
    let store = try tracked()
    let look = try StoreLook(store.opened())
    _ = look.look()
    try store.connection().execute("BEGIN; INSERT INTO t VALUES (1); ROLLBACK")
    #expect(look.look() == .unchanged)
  }

  @Test("a file that was moved away and is back is told once, with nothing committed")
  func back() throws {
    let store = try tracked(.delete)
    let look = try StoreLook(store.opened(), filePace: .zero)
    _ = look.look()
    #expect(rename(store.path, store.path + "-away") == 0)
    #expect(look.look() == .missing)
    #expect(rename(store.path + "-away", store.path) == 0)
    #expect(look.look() == .changed)
    #expect(look.look() == .unchanged)
  }

  @Test("a file moved over the path, or away, is told")
  func replaced() throws {
    let (store, other) = (try tracked(), try tracked())
    let look = try StoreLook(store.opened(), filePace: .zero)
    _ = look.look()
    #expect(rename(store.path, store.directory.file("away")) == 0)
    #expect(look.look() == .missing)
    #expect(rename(other.path, store.path) == 0)
    #expect(look.look() == .replaced)
    #expect(rename(store.directory.file("away"), store.path) == 0)
    #expect(look.look() != .replaced)
  }

  @Test("it meets no lock of a writer with a write-ahead log")
  func lockFree() throws {
    let store = try tracked()
    let look = try StoreLook(store.opened())
    _ = look.look()
    let writer = try store.connection()
    try writer.execute("BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)")
    #expect(look.look() == .unchanged)
    try writer.execute("COMMIT")
    #expect(look.look() == .changed)
  }

  @Test("an exclusive writer with a rollback journal makes it busy, not blind")
  func busy() throws {
    let store = try tracked(.delete)
    let look = try StoreLook(store.opened())
    _ = look.look()
    let writer = try store.connection()
    try writer.execute("BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)")
    #expect(Self.patient(look) == .busy)
    try writer.execute("COMMIT")
    #expect(look.look() == .changed)
  }

  /// What a look finds once it no longer gives way to a writer.
  private static func patient(_ look: StoreLook) -> StoreLook.Finding {
    while true {
      let finding = look.look()
      if finding != .writing { return finding }
    }
  }

  private static let rollback: [TemporaryStore.Journal] = [.delete, .truncate, .persist]

  @Test(
    "a writer who does not wait for locks commits between looks that give way",
    arguments: rollback)
  func givesWay(journal: TemporaryStore.Journal) throws {
    let store = try tracked(journal)
    let look = try StoreLook(store.opened())
    _ = look.look()
    let writer = try WriterProcess(path: store.path, busyTimeout: 0)
    try writer.run("PRAGMA journal_mode = \(journal.rawValue)")
    for id in 1...20 {
      try writer.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (\(id))")
      #expect(look.look() == .writing)
      #expect(!look.isSettled)
      try writer.run("COMMIT")
      #expect(look.look() == .changed)
      #expect(look.isSettled)
    }
  }

  @Test("writers are given way to until the store has a write-ahead log, and not after that")
  func otherJournal() throws {
    let store = try tracked(.delete)
    let look = try StoreLook(store.opened())
    _ = look.look()
    let writer = try WriterProcess(path: store.path, busyTimeout: 0)
    for (mode, found) in [("delete", StoreLook.Finding.writing), ("wal", .unchanged)] {
      try writer.run("PRAGMA journal_mode = \(mode)")
      _ = look.look()
      try writer.run("BEGIN IMMEDIATE; INSERT INTO t DEFAULT VALUES")
      #expect(look.look() == found)
      try writer.run("COMMIT")
      #expect(look.look() == .changed)
    }
  }

  @Test("a writer who takes long is looked past, and his end is found")
  func longWriter() throws {
    let store = try tracked(.delete)
    let look = try StoreLook(store.opened())
    _ = look.look()
    let writer = try WriterProcess(path: store.path)
    try writer.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (1)")
    #expect(Self.patient(look) == .unchanged)
    #expect(!look.isSettled)
    #expect(look.look() == .writing)
    try writer.run("COMMIT")
    #expect(look.look() == .changed)
  }

  @Test("with a write-ahead log a look never settles what was announced")
  func unsettled() throws {
    let store = try tracked()
    let look = try StoreLook(store.opened())
    #expect(look.look() == .changed)
    #expect(!look.isSettled)
    #expect(look.look() == .unchanged)
    #expect(!look.isSettled)
  }

  @Test(
    "what was read is no change, what came after it is", arguments: TemporaryStore.Journal.allCases)
  func read(journal: TemporaryStore.Journal) throws {
    let store = try tracked(journal)
    let history = try store.opened()
    let recorder = try HistoryRecorder(history, after: history.state().head)
    let look = try StoreLook(history)
    let writer = try store.connection()
    try writer.execute("INSERT INTO t VALUES (1)")
    try recorder.read()
    look.read(try #require(recorder.reader.versionAtHead))
    #expect(look.look() == .unchanged)
    try writer.execute("INSERT INTO t VALUES (2)")
    #expect(look.look() == .changed)
  }
}
