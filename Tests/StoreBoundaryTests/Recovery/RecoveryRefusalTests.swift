import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// Each of these leaves every file as it was.
@Suite("Refused recoveries", .timeLimit(.minutes(1)))
struct RecoveryRefusalTests {
  private func refused(
    _ scene: RecoveryScene, _ reason: UnavailableReason?, keeping recovery: StoreRecovery? = nil,
    location: SourceLocation = #_sourceLocation
  ) throws {
    let files = StoreNeighbours(of: scene.path)
    let marker = ReadinessMarker(
      store: StoreIdentifier(), schema: 1, writer: "app", time: CalendarTime(milliseconds: 0))
    if try KnownStore(scene.path).identity != nil { try marker.write(files) }
    let before = Set(try scene.names)
    let file = DatabaseFile(path: scene.path)
    let error = #expect(throws: HistoryError.self, sourceLocation: location) {
      try (recovery ?? scene.recovery).recover()
    }
    #expect(error?.unavailableReason == reason, "\(error as Any)", sourceLocation: location)
    #expect(error?.hint != nil, sourceLocation: location)
    // SQLite makes the log and its index of what it reads.
    let made = Set(try scene.names).subtracting(before)
    #expect(
      made.allSatisfy { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") }, "\(made)",
      sourceLocation: location)
    #expect(before.isSubset(of: try scene.names), sourceLocation: location)
    #expect(DatabaseFile(path: scene.path) == file, sourceLocation: location)
  }

  @Test("a store that is locked for a moment is not taken for one of which nothing is known")
  func locked() throws {
    let scene = try RecoveryScene(journal: .delete)
    let known = try #require(try KnownStore(scene.path).identity)
    let other = try Connection(path: scene.path)
    try other.execute("BEGIN EXCLUSIVE")
    let error = #expect(throws: SQLiteError.self) { try KnownStore(scene.path, busyTimeout: 0) }
    #expect(error?.code.primary == .busy)
    try other.execute("ROLLBACK")
    #expect(try KnownStore(scene.path, busyTimeout: 0).identity == known)
    try DurableFile(path: scene.path).replace(with: Array("no database".utf8))
    #expect(try KnownStore(scene.path).identity == nil)
  }

  @Test("a backup that is not there")
  func missing() throws {
    let scene = try RecoveryScene()
    try FileNames.remove(scene.backup)
    try refused(scene, .missing)
  }

  @Test("a backup that is a directory, or no database")
  func noDatabase() throws {
    let scene = try RecoveryScene()
    let directory = StoreRecovery(of: scene.path, from: scene.directory.path, as: "test")
    try refused(scene, .notADatabase, keeping: directory)
    try DurableFile(path: scene.backup).replace(with: Array(repeating: 0x41, count: 5000))
    try refused(scene, .notADatabase)
    try DurableFile(path: scene.backup).replace(with: [])
    try refused(scene, .corrupt)
  }

  @Test("a backup with a damaged page")
  func corrupt() throws {
    let scene = try RecoveryScene(isTracked: false)
    let connection = try Connection(path: scene.backup)
    try connection.execute(
      """
      PRAGMA journal_mode = DELETE;
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO t SELECT i, printf('%0900d', i) FROM n
      """)
    try connection.close()
    try FileNames.remove(scene.backup + "-wal")
    var bytes = try #require(try DurableFile(path: scene.backup).read(limit: .max))
    for place in 0..<2000 { bytes[bytes.count - 4096 * 3 + place] = 0x5A }
    try DurableFile(path: scene.backup).replace(with: bytes)
    try refused(scene, .corrupt)
  }

  @Test("a backup of another store, unless any is accepted")
  func foreign() throws {
    let scene = try RecoveryScene()
    let other = try RecoveryScene()
    let recovery = StoreRecovery(of: scene.path, from: other.backup, as: "test")
    try refused(scene, .foreign, keeping: recovery)
    let plain = try RecoveryScene(isTracked: false)
    try refused(
      scene, .foreign, keeping: StoreRecovery(of: scene.path, from: plain.backup, as: "test"))
    let any = StoreRecovery(
      of: scene.path, from: other.backup, as: "test", acceptsAnyStore: true)
    let outcome = try any.recover()
    #expect(outcome.store == (try KnownStore(other.path).identity))
    #expect(outcome.epoch == 2)
  }

  @Test("a damaged store whose marker says whose it is takes no backup of another")
  func markerOfDamaged() throws {
    let scene = try RecoveryScene(journal: .delete)
    let marker = ReadinessMarker(
      store: StoreIdentifier(), schema: 1, writer: "app", time: CalendarTime(milliseconds: 0))
    try DurableFile(path: scene.path).replace(with: Array(repeating: 0x41, count: 5000))
    try marker.write(StoreNeighbours(of: scene.path))
    try refused(scene, .foreign)
  }

  @Test("the store itself as its backup, by whatever name")
  func itself() throws {
    let scene = try RecoveryScene()
    let link = scene.directory.file("link.db")
    try #require(symlink(scene.path, link) == 0)
    for backup in [scene.path, link] {
      try refused(scene, nil, keeping: StoreRecovery(of: scene.path, from: backup, as: "test"))
    }
  }

  @Test("a store that has an owner at work")
  func owner() throws {
    let scene = try RecoveryScene()
    let lock = try OwnerLock(StoreNeighbours(of: scene.path), owner: "app")
    try refused(scene, .locked)
    withExtendedLifetime(lock) {}
  }

  @Test("a store that another process has open")
  func inUse() throws {
    let scene = try RecoveryScene()
    let writer = try WriterProcess(path: scene.path)
    try writer.run("SELECT count(*) FROM t")
    try refused(scene, .locked)
    try writer.run("INSERT INTO t VALUES (5, 'five')")
    writer.kill()
    _ = try scene.recovery.recover()
  }

  @Test("a store with a rollback journal that another process is writing to")
  func beingWritten() throws {
    let scene = try RecoveryScene(journal: .delete)
    let writer = try WriterProcess(path: scene.path)
    try writer.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (5, 'five')")
    try refused(scene, .locked)
    try writer.run("COMMIT")
    _ = try scene.recovery.recover()
    #expect(try scene.ids(scene.path) == [1])
  }

  @Test("a directory that does not exist")
  func noDirectory() throws {
    let scene = try RecoveryScene()
    let path = scene.directory.file("nowhere/app.db")
    try refused(
      scene, .missing, keeping: StoreRecovery(of: path, from: scene.backup, as: "test"))
  }
}
