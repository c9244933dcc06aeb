import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Recovering a store", .timeLimit(.minutes(1)))
struct StoreRecoveryTests {
  @Test(
    "the backup's rows are at the path, and what was there is beside it, whole",
    arguments: [TemporaryStore.Journal.wal, .delete])
  func recovers(journal: TemporaryStore.Journal) throws {
    let scene = try RecoveryScene(journal: journal)
    if journal == .wal { try scene.leaveLog() }
    let outcome = try scene.recovery.recover()
    let replaced = try #require(outcome.replaced)
    #expect(try scene.ids(scene.path) == [1])
    #expect(try scene.ids(replaced) == (journal == .wal ? [1, 2, 3] : [1, 2]))
    #expect(try scene.ids(scene.backup) == [1])
    #expect(outcome.epoch == 2)
    #expect(outcome.rows == 1 && outcome.tables == 1)
    #expect(outcome.brokenReferences.isEmpty)
    #expect(try !scene.names.contains { $0.contains("recovering") || $0.contains("replacing") })
    let store = try TrackedStore(path: scene.path, access: .readOnly)
    #expect(try store.state().storeIdentifier == outcome.store)
    let backup = try TrackedStore(path: scene.backup, access: .readOnly)
    #expect(try store.schemaVersion() == backup.schemaVersion())
  }

  @Test("positions of the old store beyond the backup have expired, earlier ones are good")
  func positions() throws {
    let scene = try RecoveryScene()
    let late = try TrackedStore(path: scene.path, access: .readOnly).state().head
    let early = try TrackedStore(path: scene.backup, access: .readOnly).state().head
    _ = try scene.recovery.recover()
    let store = try TrackedStore(path: scene.path, access: .readWrite)
    #expect(try store.resolve(.after(late)).position == .expired(late, .storeRestored))
    #expect(try store.resolve(.after(early)).position == .usable(early))
  }

  @Test("recovering again begins yet another epoch, also when the store in between cannot be read")
  func again() throws {
    let scene = try RecoveryScene()
    #expect(try scene.recovery.recover().epoch == 2)
    #expect(try scene.recovery.recover().epoch == 3)
    try damage(scene.path)
    #expect(try scene.recovery.recover().epoch == 4)
    try FileNames.rename(scene.path, to: scene.directory.file("elsewhere"))
    let outcome = try scene.recovery.recover()
    #expect(outcome.epoch == 4, "what was carried away by hand cannot be asked")
    #expect(outcome.replaced == nil)
    #expect(try scene.ids(scene.path) == [1])
  }

  @Test("what is still in the log of the backup is recovered too")
  func logOfBackup() throws {
    let scene = try RecoveryScene()
    let writer = try WriterProcess(path: scene.backup)
    try writer.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (9, 'nine')")
    writer.kill()
    _ = try scene.recovery.recover()
    #expect(try scene.ids(scene.path) == [1, 9])
    #expect(try scene.ids(scene.backup) == [1, 9])
  }

  @Test("a store that is gone or empty, or is no database any more, is recovered to its place")
  func damagedStores() throws {
    for bytes in [nil, [], Array("not a database at all, as anybody can see".utf8)] as [[UInt8]?] {
      let scene = try RecoveryScene(journal: .delete)
      try FileNames.remove(scene.path)
      if let bytes { try DurableFile(path: scene.path).replace(with: bytes) }
      let outcome = try scene.recovery.recover()
      #expect(try scene.ids(scene.path) == [1])
      #expect((outcome.replaced == nil) == (bytes == nil))
      if let replaced = outcome.replaced {
        #expect(try DurableFile(path: replaced).read(limit: 100) == bytes)
      }
    }
  }

  @Test("a log that a vanished store left is moved aside, and never applied to the new one")
  func orphanedLog() throws {
    let scene = try RecoveryScene()
    try scene.leaveLog()
    try FileNames.rename(scene.path, to: scene.directory.file("elsewhere"))
    let outcome = try scene.recovery.recover()
    #expect(try scene.ids(scene.path) == [1])
    #expect(FileNames.isTaken(try #require(outcome.replaced) + "-wal"))
  }

  @Test("who may use the store may use the recovered one, and nobody else")
  func permissions() throws {
    let scene = try RecoveryScene(journal: .delete)
    #expect(chmod(scene.path, 0o640) == 0)
    #expect(chmod(scene.backup, 0o604) == 0)
    _ = try scene.recovery.recover()
    #expect(try mode(scene.path) == 0o640)
    try FileNames.remove(scene.path)
    _ = try scene.recovery.recover()
    #expect(try mode(scene.path) == 0o604)
  }

  @Test("a store without history is recovered, and begins no epoch")
  func untracked() throws {
    let scene = try RecoveryScene(isTracked: false)
    let outcome = try scene.recovery.recover()
    #expect(outcome.epoch == nil && outcome.store == nil && outcome.schema == nil)
    #expect(try scene.ids(scene.path) == [1])
  }

  @Test("rows that refer to nothing are told, and recovered as they are")
  func brokenReferences() throws {
    let scene = try RecoveryScene(isTracked: false)
    let connection = try Connection(path: scene.backup)
    try connection.execute(
      "CREATE TABLE c(t REFERENCES t(id)); INSERT INTO c VALUES (1), (77), (78)")
    try connection.close()
    #expect(try scene.recovery.recover().brokenReferences == ["c": 2])
  }

  @Test("it is ready afterwards only if its owner had left the backup ready")
  func marker() throws {
    let scene = try RecoveryScene()
    let files = StoreNeighbours(of: scene.path)
    let store = try #require(try KnownStore(scene.path).identity)
    let stale = ReadinessMarker(
      store: store, schema: 3, writer: "app", time: CalendarTime(milliseconds: 0))
    try stale.write(files)
    #expect(try scene.recovery.recover().needsOwner)
    #expect(try ReadinessMarker.read(files) == nil)
    #expect(try !scene.recovery.recover().needsOwner)

    let connection = try Connection(path: scene.backup)
    let boundary = BoundaryTable(connection)
    try boundary.create()
    try connection.execute("PRAGMA user_version = 3")
    try boundary.keep(.integer(ExpectedTables(connection).fingerprint), for: "tables")
    #expect(try scene.recovery.recover().schema == 3)
    #expect(try StoreReadiness.check(path: scene.path, schema: 3).writer == "test")

    try connection.execute("ALTER TABLE t ADD COLUMN later")
    try connection.close()
    let changed = try scene.recovery.recover()
    #expect(changed.schema == nil && changed.needsOwner)
    #expect(try ReadinessMarker.read(files) == nil)
  }

  private func mode(_ path: String) throws -> mode_t {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
  }

  private func damage(_ path: String) throws {
    try DurableFile(path: path).replace(with: [UInt8](repeating: 0x5A, count: 8192))
  }
}
