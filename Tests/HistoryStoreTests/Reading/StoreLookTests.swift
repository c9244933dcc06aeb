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
    #expect(look.look() == .busy)
    try writer.execute("COMMIT")
    #expect(look.look() == .changed)
  }
}
