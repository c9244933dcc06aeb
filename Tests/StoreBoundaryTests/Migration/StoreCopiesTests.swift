import EventLoop
import Glibc
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Copies before a migration")
struct StoreCopiesTests {
  private func content(_ copy: String, in store: TemporaryStore) throws -> StoreContent {
    try StoreContent(store.directory.file(copy))
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test(
    "a copy is the store as it was, whole, in one file", arguments: TemporaryStore.Journal.allCases)
  func whole(journal: TemporaryStore.Journal) throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)", journal: journal)
    let before = try StoreContent(store.path)
    let outcome = try store.migrate(.sql(1, "DELETE FROM t; DROP TABLE t"))
    let copy = try #require(outcome.copy)
    #expect(FileNames.isTaken(copy))
    let names = try store.directory.names().filter { $0.contains(".copy") }
    #expect(names == [String(copy.split(separator: "/").last ?? "")])
    // Opened from elsewhere it is whole without anything beside it.
    let elsewhere = try TemporaryDirectory()
    let moved = elsewhere.file("moved")
    try FileNames.rename(copy, to: moved)
    #expect(try StoreContent(moved) == before)
  }

  @Test(
    "a copy can be used by whoever could use the original, and no one else",
    arguments: [0o600, 0o640, 0o666] as [mode_t])
  func permissions(wanted: mode_t) throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    try #require(chmod(store.path, wanted) == 0)
    let copy = try #require(try store.migrate(.sql(1, "SELECT 1")).copy)
    #expect(mode(copy) == wanted)
    #expect(mode(store.neighbours.marker) == wanted)
    #expect(mode(store.path) == wanted)
  }

  @Test("so many are kept, the newest ones, each as the store was")
  func several() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    var plan: [SchemaVersion] = []
    for number in 1...5 {
      plan.append(.sql(number, "INSERT INTO t VALUES (\(number))"))
      let outcome = try store.migrate(plan, copiesKept: 3)
      #expect(outcome.removedCopies.count == (number > 3 ? 1 : 0))
    }
    let copies = try store.files(endingWith: ".copy")
    #expect(copies.count == 3)
    #expect(try copies.map { try content($0, in: store).version } == [2, 3, 4])
    try store.migrate(plan + [.sql(6, "SELECT 1")], copiesKept: 0)
    #expect(try store.files(endingWith: ".copy").map { try content($0, in: store).version } == [5])
  }

  @Test("migrating that fails again and again fills no disk, and keeps what was there at first")
  func failing() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let plan: [SchemaVersion] = [.sql(1, "INSERT INTO t VALUES (1)"), .sql(2, "SELECT no_such")]
    for _ in 1...6 {
      #expect(throws: HistoryError.self) { try store.migrate(plan, copiesKept: 3) }
    }
    let versions = try store.files(endingWith: ".copy").map { try content($0, in: store).version }
    #expect(versions == [0, 1, 1])
  }

  @Test("files that only look like copies are nobody's to remove")
  func foreign() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let names = [
      "store.sqlite.before-lunch.copy", "store.sqlite.before-0001-20200101T000000000Z.copy.gz",
      "store.sqlite.before-0001-20200101T00000000.copy",
      "other.before-0001-20200101T000000000Z.copy",
      "store.sqlite.before-x-20200101T000000000Z.copy",
    ]
    for name in names { try DurableFile(path: store.directory.file(name)).replace(with: [1]) }
    let old = "store.sqlite.before-0001-20200101T000000000Z.copy"
    try DurableFile(path: store.directory.file(old)).replace(with: [1])
    let outcome = try store.migrate(.sql(1, "SELECT 1"), copiesKept: 1)
    #expect(outcome.removedCopies == [store.directory.file(old)])
    #expect(Set(names).isSubset(of: try store.directory.names()))
  }

  @Test("the copy that was just made stays, whatever the clock said to others")
  func clock() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let future = "store.sqlite.before-0001-29990101T000000000Z.copy"
    try DurableFile(path: store.directory.file(future)).replace(with: [1])
    let copy = try #require(try store.migrate(.sql(1, "SELECT 1"), copiesKept: 1).copy)
    #expect(FileNames.isTaken(copy))
  }

  @Test("what a crash left of a copy is gone after the next migration")
  func unfinished() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let left = "store.sqlite.before-0001-20200101T000000000Z.copy.unfinished"
    for end in ["", "-journal", "-wal", "-shm"] {
      try DurableFile(path: store.directory.file(left + end)).replace(with: [1])
    }
    try store.migrate(.sql(1, "SELECT 1"))
    #expect(try store.directory.names().filter { $0.contains("unfinished") } == [])
  }

  @Test("a damaged store is not touched, and leaves no copy")
  func damaged() throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(x); CREATE INDEX i ON t(x); INSERT INTO t VALUES (1), (2);
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX i ON t(-x)' WHERE name = 'i'
        """)
    let before = try StoreContent(store.path)
    let error = #expect(throws: HistoryError.self) { try store.migrate(.sql(1, "DELETE FROM t")) }
    #expect(error?.unavailableReason == .corrupt)
    #expect(try StoreContent(store.path) == before)
    #expect(try store.directory.names().filter { $0.contains(".before-") } == [])
  }

  @Test(
    "a full disk leaves the store and its marker as they were, and no copy",
    .enabled(if: SmallDisk.canBeMade, "only root can make a small disk"))
  func full() throws {
    let disk = try SmallDisk(kilobytes: 600)
    let path = disk.directory.file("store.sqlite")
    let connection = try Connection(creating: path)
    try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES (zeroblob(350000))")
    try connection.execute("PRAGMA user_version = 1")
    try connection.close()
    let options = MigrationOptions(writer: "app")
    let first = SchemaVersion.sql(1, "SELECT 1")
    _ = try StoreOwnership.take(path, plan: MigrationPlan([first]), options: options)
    let before = try StoreContent(path)
    let error = #expect(throws: HistoryError.self) {
      try StoreOwnership.take(
        path, plan: MigrationPlan([first, .sql(2, "DELETE FROM t")]), options: options)
    }
    #expect(error?.unavailableReason == .diskFull, "\(error as Any)")
    #expect(try StoreContent(path) == before)
    #expect(throws: Never.self) { try StoreReadiness.check(path: path, schema: 1) }
    #expect(try disk.directory.names().filter { $0.contains(".before-") } == [])
  }
}
