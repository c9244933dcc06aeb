import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import StoreBoundary
import Testing

@Suite("Adopting a store", .timeLimit(.minutes(1)))
struct AdoptingTests {
  private let scene: RecoveryScene
  private var new: String { scene.directory.file("group/app.db") }

  init() throws {
    scene = try RecoveryScene()
    try FileNames.makeDirectory(scene.directory.file("group"))
  }

  private func adopt() throws(HistoryError) -> StoreRecovery.Outcome {
    try StoreRecovery.adopt(scene.path, at: new, as: "test")
  }

  @Test(
    "the whole store with its log is at the new place, as the same store, and the old one stays")
  func adopts() throws {
    try scene.leaveLog()
    try #require(chmod(scene.path, 0o640) == 0)
    let before = try TrackedStore(path: scene.path, access: .readOnly).state()
    let location = try StoreLocation(group: "group", name: "app.db", root: scene.directory.path)
    let outcome = try StoreRecovery.adopt(scene.path, at: location, as: "test")
    #expect(outcome.path == location.path)
    #expect(outcome.replaced == nil && outcome.schema == nil && !outcome.needsOwner)
    let store = try TrackedStore(path: new, access: .readOnly)
    #expect(try store.state() == before)
    #expect(try store.tables(isThorough: true).allSatisfy(\.drift.isEmpty))
    #expect(try scene.ids(new) == [1, 2, 3])
    #expect(FileNames.permissions(of: new) == 0o640)
    #expect(try scene.ids(scene.path) == [1, 2, 3])
    #expect(
      try FileNames.list(scene.directory.file("group")).filter { $0.contains("adopting") } == [])
  }

  @Test(
    "nothing is adopted where there is a store, or what is left of one",
    arguments: ["", "-wal", "-journal", "-shm"])
  func taken(part: String) throws {
    try DurableFile(path: new + part).replace(with: [1, 2, 3])
    let error = #expect(throws: HistoryError.self) { try adopt() }
    #expect(error?.code == .usage)
    #expect(try DurableFile(path: new + part).read(limit: 10) == [1, 2, 3])
    #expect(part.isEmpty || !FileNames.isTaken(new))
  }

  @Test("an old store that is missing, damaged, or has an owner at work is refused")
  func refused() throws {
    let lock = try OwnerLock(StoreNeighbours(of: scene.path), owner: "old app")
    #expect(throws: HistoryError.self) { try adopt() }
    withExtendedLifetime(lock) {}
    try FileNames.rename(scene.path, to: scene.directory.file("elsewhere"))
    var error = #expect(throws: HistoryError.self) { try adopt() }
    #expect(error?.unavailableReason == .missing)
    try DurableFile(path: scene.path).replace(with: Array(repeating: 0x41, count: 5000))
    error = #expect(throws: HistoryError.self) { try adopt() }
    #expect(error?.unavailableReason == .notADatabase)
    #expect(!FileNames.isTaken(new))
  }

  @Test("an old store that another process has open is refused, since it may still be written to")
  func inUse() throws {
    let writer = try WriterProcess(path: scene.path)
    try writer.run("SELECT count(*) FROM t")
    let error = #expect(throws: HistoryError.self) { try adopt() }
    #expect(error?.unavailableReason == .locked)
    writer.kill()
    _ = try adopt()
  }

  @Test("a folder that is not there is not made")
  func noFolder() throws {
    let path = scene.directory.file("nowhere/app.db")
    let error = #expect(throws: HistoryError.self) {
      try StoreRecovery.adopt(scene.path, at: path, as: "test")
    }
    #expect(error?.unavailableReason == .missing)
    #expect(!FileNames.isTaken(scene.directory.file("nowhere")))
  }

  @Test("what a crash left of an earlier attempt is in nobody's way")
  func leftover() throws {
    try DurableFile(path: new + ".adopting").replace(with: [1, 2, 3])
    _ = try adopt()
    #expect(try scene.ids(new) == [1, 2])
    #expect(!FileNames.isTaken(new + ".adopting"))
  }
}
