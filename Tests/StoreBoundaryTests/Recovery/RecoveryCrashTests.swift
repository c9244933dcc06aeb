import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// A crash after each step of a recovery.
@Suite("Crashes during a recovery", .timeLimit(.minutes(1)))
struct RecoveryCrashTests {
  private struct Crash: Error {}

  /// Recovers up to a step; whatever would come after it is not done.
  private func crash(_ scene: RecoveryScene, after step: StoreRecovery.Step) throws -> Bool {
    do throws(HistoryError) {
      _ = try scene.recovery.recover { reached in if reached == step { throw Crash() } }
      return false
    } catch {
      guard error.cause is Crash else { throw error }
      return true
    }
  }

  /// The rows of what was moved aside, with what has not been moved yet, as a copy of it all.
  private func aside(_ scene: RecoveryScene) throws -> [Int64] {
    let files = StoreNeighbours(of: scene.path)
    let target = try #require(SetAside.earlier(files).first)
    let scratch = try TemporaryDirectory()
    for part in StoreCopy.parts {
      for path in [target, scene.path] where FileNames.isTaken(path + part) {
        if path == scene.path && FileNames.isTaken(scene.path) { continue }
        let bytes = try #require(try DurableFile(path: path + part).read(limit: .max))
        try DurableFile(path: scratch.file("old.db") + part).replace(with: bytes)
      }
    }
    return try scene.ids(scratch.file("old.db"))
  }

  @Test(
    "the old store or the new one is whole, nothing is lost, and recovering again succeeds",
    arguments: StoreRecovery.Step.allCases.filter { $0 != .journalMoved })
  func crashes(step: StoreRecovery.Step) throws {
    let scene = try RecoveryScene()
    try scene.leaveLog()
    #expect(try crash(scene, after: step))
    let old: [Int64] = [1, 2, 3]
    let isNew = [.putInPlace, .noteForgotten, .markerWritten].contains(step)
    let isMoving = [.databaseMoved, .logMoved, .memoryMoved].contains(step)
    if isNew {
      #expect(try scene.ids(scene.path) == [1])
    } else {
      #expect(FileNames.isTaken(scene.path) == !isMoving)
    }
    if isMoving || isNew { #expect(try aside(scene) == old) }
    #expect(try scene.ids(scene.backup) == [1])
    // Whoever comes before the next attempt finds the old store as it was.
    if !isMoving && !isNew { #expect(try scene.ids(scene.path) == old) }

    let outcome = try scene.recovery.recover()
    #expect(try scene.ids(scene.path) == [1])
    #expect(outcome.epoch == (isNew ? 3 : 2))
    let kept = try SetAside.earlier(StoreNeighbours(of: scene.path)).map { try scene.ids($0) }
    #expect(Set(kept) == (isNew ? [old, [1]] : [old]))
    #expect(try !scene.names.contains { $0.contains("recovering") || $0.contains("replacing") })
  }

  @Test("the steps of a store with a rollback journal are survived as well")
  func journal() throws {
    for step in StoreRecovery.Step.allCases {
      let scene = try RecoveryScene(journal: .delete)
      // A journal that its writer, killed in the middle of a commit, has left to be rolled back.
      let writer = try WriterProcess(path: scene.path)
      try writer.run(
        """
        PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE t SET v = 'lost' WHERE id = 2;
        WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT i, randomblob(2000) FROM n
        """)
      writer.kill()
      #expect(FileNames.isTaken(scene.path + "-journal"))
      let crashed = try crash(scene, after: step)
      #expect(crashed == ![.logMoved, .memoryMoved].contains(step))
      _ = try scene.recovery.recover()
      #expect(try scene.ids(scene.path) == [1])
      let kept = try SetAside.earlier(StoreNeighbours(of: scene.path)).map { try scene.ids($0) }
      #expect(kept.contains([1, 2]), "\(step): \(kept)")
    }
  }

  @Test("no owner makes a new store while the old one is moved aside, and everybody is told why")
  func owner() async throws {
    let scene = try RecoveryScene(journal: .delete)
    #expect(try crash(scene, after: .databaseMoved))
    let plan = try MigrationPlan([SchemaVersion(1, "u", .lightweight("CREATE TABLE u(x)"))])
    var error = await #expect(throws: HistoryError.self) {
      try await StoreContainer.owner(
        at: scene.path, plan: plan, options: MigrationOptions(writer: "app"))
    }
    #expect(error?.unavailableReason == .missing)
    #expect(error?.hint?.contains("recover") == true)
    error = #expect(throws: HistoryError.self) {
      try StoreContainer.client(at: scene.path, schema: 1, access: .readOnly)
    }
    #expect(error?.hint?.contains("recover") == true)
    #expect(!FileNames.isTaken(scene.path))
    _ = try scene.recovery.recover()
  }

  @Test("a failure that is no crash leaves no copy behind")
  func tidy() throws {
    let scene = try RecoveryScene()
    var writer: WriterProcess?
    #expect(throws: HistoryError.self) {
      _ = try scene.recovery.recover { step in
        guard step == .epochBegun else { return }
        writer = try WriterProcess(path: scene.path)
        try writer?.run("SELECT count(*) FROM t")
      }
    }
    #expect(try !scene.names.contains { $0.contains("recovering") })
    #expect(try scene.ids(scene.path) == [1, 2])
    writer?.kill()
  }
}
