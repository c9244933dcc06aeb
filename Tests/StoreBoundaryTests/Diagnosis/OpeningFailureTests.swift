import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Why a store cannot be opened or written to, as a code, on real files.
@Suite("Reasons why a store cannot be used", .timeLimit(.minutes(1)))
struct OpeningFailureTests {
  private func fails(
    _ reason: UnavailableReason, _ code: HistoryError.Code, _ body: () throws -> Void,
    location: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: HistoryError.self, sourceLocation: location) { try body() }
    #expect(error?.unavailableReason == reason, "\(error as Any)", sourceLocation: location)
    #expect(error?.code == code, sourceLocation: location)
    #expect(error?.hint != nil, sourceLocation: location)
  }

  private func open(_ path: String) throws {
    _ = try TrackedStore(path: path, access: .readOnly, busyTimeout: 0).state()
  }

  @Test("missing")
  func missing() throws {
    let directory = try TemporaryDirectory()
    fails(.missing, .storeUnavailable) { try open(directory.file("app.db")) }
    #expect(try FileNames.list(directory.path).isEmpty)
  }

  @Test("not a database")
  func noDatabase() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("app.db")
    try DurableFile(path: path).replace(with: Array(repeating: 0x41, count: 5000))
    fails(.notADatabase, .storeUnavailable) { try open(path) }
  }

  @Test("locked, which passes")
  func locked() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)", journal: .delete)
    try store.track()
    let other = try WriterProcess(path: store.path)
    try other.run("BEGIN EXCLUSIVE")
    fails(.locked, .temporary) { try open(store.path) }
    try other.run("COMMIT")
    try open(store.path)
  }

  @Test("corrupt")
  func corrupt() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)", journal: .delete)
    try store.track()
    var bytes = try #require(try DurableFile(path: store.path).read(limit: .max))
    // The first page after its head: the schema itself.
    for place in 100..<4096 { bytes[place] = 0xFF }
    try DurableFile(path: store.path).replace(with: bytes)
    fails(.corrupt, .storeUnavailable) { try open(store.path) }
  }

  @Test("disk full, which passes")
  func full() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection()
    try connection.execute("PRAGMA max_page_count = 3")
    fails(.diskFull, .temporary) {
      try HistoryError.translating(at: store.path) {
        try connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
      }
    }
  }

  @Test("disk full, also where only the index of a log had no room")
  func fullForTheIndex() {
    fails(.diskFull, .temporary) {
      throw HistoryError(
        SQLiteError(code: .ioErrorSharedMemorySize, message: "disk I/O error"), at: "app.db")
    }
  }

  @Test("input and output, which may pass")
  func inputOutput() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)", journal: .delete)
    try store.track()
    // A directory in the place of the journal refuses root as well.
    let directory = store.path + "-journal"
    try #require(mkdir(directory, 0o700) == 0)
    fails(.inputOutput, .temporary) {
      try Tracker(store.opened()).track(Tracker.Request(capture: .full))
    }
    try #require(rmdir(directory) == 0)
  }

  @Test("permissions: what cannot be opened beside the store is asked for")
  func permissions() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let directory = store.path + "-wal"
    try #require(mkdir(directory, 0o700) == 0)
    fails(.permissions, .storeUnavailable) { try open(store.path) }
    try #require(rmdir(directory) == 0)
  }

  @Test("a journal that a crash left and that may only be read is locked, which passes")
  func leftover() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(x); INSERT INTO t VALUES (1)", journal: .delete)
    try store.track()
    let other = try WriterProcess(path: store.path)
    try other.run(
      """
      PRAGMA cache_size = 1; BEGIN IMMEDIATE;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
      INSERT INTO t SELECT randomblob(2000) FROM n
      """)
    other.kill()
    fails(.locked, .temporary) { try open(store.path) }
  }

  @Test("a reason that is not known in this version is kept as it is named")
  func unknown() {
    #expect(UnavailableReason(rawValue: "moved-to-the-cloud").description == "moved-to-the-cloud")
    #expect(!UnavailableReason(rawValue: "moved-to-the-cloud").mayPass)
  }
}
