import EventLoop
import Glibc
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Interrupted migrations", .timeLimit(.minutes(1)))
struct MigrationInterruptionTests {
  private static let many = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
    INSERT INTO t(name) SELECT 'name ' || i FROM n
    """

  private static let plan: [SchemaVersion] = [
    .sql(1, "CREATE TABLE t(id INTEGER PRIMARY KEY, name); \(many)"),
    .sql(2, "UPDATE t SET name = upper(name)"),
    .sql(3, "DELETE FROM t WHERE id % 2; ALTER TABLE t ADD COLUMN b DEFAULT 1"),
  ]

  private func reference(_ count: Int) throws -> StoreContent {
    let store = try TemporaryStore()
    if count > 0 { try store.migrate(Array(Self.plan.prefix(count))) }
    return try StoreContent(store.path)
  }

  @Test(
    "stopped whenever it asks: a whole version, not ready, and it goes on from there",
    arguments: [false, true])
  func cancelled(isBeside: Bool) throws {
    let versions = try (0...3).map(reference)
    var stopped: Set<Int> = []
    var wasDone = false
    for limit in 0..<1000 where !wasDone {
      let store = try TemporaryStore()
      let count = Guarded(0)
      var options = MigrationOptions(writer: "app")
      options.mode = isBeside ? .sideBySide : .inPlace
      func take(stopping mustStop: @escaping @Sendable () -> Bool) throws {
        _ = try StoreOwnership.take(
          store.path, plan: MigrationPlan(Self.plan), options: options, stopping: mustStop)
      }
      do {
        try take {
          count.withLock { count in
            count += 1
            return count > limit
          }
        }
        wasDone = true
      } catch let error as HistoryError {
        #expect(error.code == .temporary && error.message.contains("stopped"), "\(error)")
        let content = try StoreContent(store.path)
        #expect(content == versions[content.version])
        stopped.insert(content.version)
        #expect(store.refusal(schema: 3) != nil)
        #expect(try store.directory.names().allSatisfy { !$0.contains("unfinished") })
        try take { false }
      }
      #expect(try StoreContent(store.path) == versions[3])
      #expect(store.refusal(schema: 3) == nil)
    }
    #expect(wasDone)
    #expect(stopped.isSuperset(of: isBeside ? [0] : [0, 1, 2]))
  }

  @Test(
    "a disk that is full at any moment: a whole version, said so, and it goes on with room again",
    .enabled(if: SmallDisk.canBeMade, "only root can make a small disk"),
    arguments: ["copied", "cleared", "began", "committing", "applied", "finishing"])
  func diskFull(moment: String) throws {
    let disk = try SmallDisk(kilobytes: 3000)
    let path = disk.directory.file("store.sqlite")
    let options = MigrationOptions(writer: "app")
    _ = try StoreOwnership.take(path, plan: MigrationPlan([Self.plan[0]]), options: options)
    let error = #expect(throws: HistoryError.self) {
      try StoreOwnership.take(
        path, plan: MigrationPlan(Self.plan), options: options,
        telling: { if "\($0)".hasPrefix(moment) { disk.fill() } })
    }
    #expect(error?.unavailableReason == .diskFull, "\(error as Any)")
    #expect(throws: HistoryError.self) { try StoreReadiness.check(path: path, schema: 3) }
    disk.empty()
    let content = try StoreContent(path)
    #expect(content == (try reference(content.version)))
    #expect(content.version == (["finishing": 3, "applied": 2][moment] ?? 1))
    _ = try StoreOwnership.take(path, plan: MigrationPlan(Self.plan), options: options)
    #expect(try StoreContent(path) == reference(3))
    #expect(throws: Never.self) { try StoreReadiness.check(path: path, schema: 3) }
    #expect(
      try disk.directory.names().allSatisfy { !$0.contains("unfinished") && !$0.contains("tmp") })
  }

  @Test("a store that a symbolic link leads to has its marker, lock and copies beside itself")
  func symbolicLink() throws {
    let store = try TemporaryStore()
    let elsewhere = try TemporaryDirectory()
    let link = elsewhere.file("link.db")
    try #require(symlink(store.path, link) == 0)
    _ = try StoreOwnership.take(
      link, plan: MigrationPlan(Self.plan), options: MigrationOptions(writer: "app"))
    #expect(try elsewhere.names() == ["link.db"])
    #expect(store.refusal(schema: 3) == nil)
    #expect(throws: Never.self) { try StoreReadiness.check(path: link, schema: 3) }
    let names = try store.directory.names().filter { !$0.hasSuffix(".copy") }
    #expect(
      Set(names).isSuperset(of: ["store.sqlite", "store.sqlite-owner", "store.sqlite-ready"]))
  }

  @Test("a path without a directory is one in the working directory")
  func relative() throws {
    let place = try TemporaryDirectory()
    let program = try HistorywatchProcess.path(of: "BoundaryProgram")
    for role in ["owner", "client"] {
      let process = try HistorywatchProcess(
        running: ["env", "-C", place.path, program, role, "new.db", "4"])
      #expect(try process.finish().code == 0)
    }
    let names = try place.names().filter { !$0.hasSuffix(".copy") }
    #expect(Set(["new.db", "new.db-owner", "new.db-ready"]).isSubset(of: names))
  }

  @Test("a second name of the store, which a crash may leave while files are swapped, is no copy")
  func secondName() throws {
    let store = try TemporaryStore()
    let name = "store.sqlite.before-0001-20200101T000000000Z.copy"
    try #require(link(store.path, store.directory.file(name)) == 0)
    try store.migrate(Self.plan)
    #expect(try !store.directory.names().contains(name))
    #expect(try StoreContent(store.path) == reference(3))
  }
}
