import EventLoop
import Glibc
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

/// Whether a client may open a store: only if everything says so.
@Suite("Store readiness", .timeLimit(.minutes(1)))
struct StoreReadinessTests {
  private static let plan: [SchemaVersion] = [
    .sql(1, "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INT DEFAULT 0)"),
    .sql(2, "INSERT INTO tasks(title) VALUES ('one')"),
  ]

  private func store(_ journal: TemporaryStore.Journal = .wal) throws -> TemporaryStore {
    let store = try TemporaryStore(journal: journal)
    try store.migrate(Self.plan)
    return store
  }

  private func overwriteMarker(_ store: TemporaryStore, _ bytes: [UInt8]) throws {
    try DurableFile(path: store.neighbours.marker).replace(with: bytes)
  }

  @Test(
    "exactly the version is ready, in every journal mode",
    arguments: TemporaryStore.Journal.allCases)
  func exact(journal: TemporaryStore.Journal) throws {
    let store = try store(journal)
    #expect(store.refusal(schema: 2) == nil)
    #expect(store.refusal(schema: 1) == .newerSchema)
    #expect(store.refusal(schema: 0) == .newerSchema)
    #expect(store.refusal(schema: 3) == .olderSchema)
    #expect(store.refusal(schema: .max) == .olderSchema)
    #expect(store.refusal(schema: .min) == .newerSchema)
  }

  /// What may have become of a store behind its marker's back.
  enum Drift: CaseIterable { case table, version, marker, seal }

  @Test(
    "clients, snapshots and the owner agree on whether the marker holds", arguments: Drift.allCases)
  func drift(drift: Drift) throws {
    let store = try store()
    let facts = FactsQuery(SingleQuery("SELECT title FROM tasks"), at: store.path)
    #expect(try facts.read().schema == 2)
    var cleared = 0
    let tell = { (event: MigrationEvent) in if event == .cleared { cleared += 1 } }
    try store.migrate(Self.plan, telling: tell)
    #expect(cleared == 0)
    switch drift {
    case .table: try store.connection().execute("CREATE TABLE stray(x)")
    case .version: try store.connection().execute("PRAGMA user_version = 1")
    case .seal: try store.connection().execute("DELETE FROM _history_boundary")
    case .marker:
      try ReadinessMarker(
        store: StoreIdentifier(), schema: 2, writer: "app", time: CalendarTime(milliseconds: 0)
      ).write(store.neighbours)
    }
    #expect(store.refusal(schema: 2) != nil)
    #expect(try facts.read().schema == nil)
    // The number alone is no version of the plan's: the owner refuses it.
    if drift == .version {
      #expect(throws: HistoryError.self) { try store.migrate(Self.plan) }
      return
    }
    try store.migrate(Self.plan, telling: tell)
    #expect(cleared == 1)
    #expect(store.refusal(schema: 2) == nil)
    #expect(try facts.read().schema == 2)
  }

  @Test("nothing is there, and nothing is made")
  func missing() throws {
    let directory = try TemporaryDirectory()
    for path in [directory.file("no.db"), directory.file("none/no.db")] {
      let error = #expect(throws: HistoryError.self) {
        try StoreContainer.client(at: path, schema: 1, access: .readWrite)
      }
      #expect(error?.unavailableReason == .missing)
    }
    #expect(try directory.names() == [])
  }

  @Test("where the store is gone and its marker is left, nobody is told to make it anew")
  func markerLeft() throws {
    let store = try store()
    for suffix in ["", "-wal", "-shm"] { _ = try? FileNames.remove(store.path + suffix) }
    let refusals = [
      #expect(throws: HistoryError.self) {
        try StoreContainer.client(at: store.path, schema: 2, access: .readOnly)
      }, #expect(throws: HistoryError.self) { try store.migrate(Self.plan) },
    ]
    for error in refusals {
      #expect(error?.unavailableReason == .missing)
      #expect(error?.message.contains("its marker is still there") == true, "\(error as Any)")
    }
  }

  @Test("what is not ready says how to make it so, with the store's path")
  func wayOut() throws {
    let store = try TemporaryStore()
    let never = #expect(throws: HistoryError.self) {
      try StoreContainer.client(at: store.path, schema: 1, access: .readOnly)
    }
    #expect(never?.message == "nothing says that \(store.path) is ready")
    try overwriteMarker(store, [1])
    let damaged = #expect(throws: HistoryError.self) {
      try StoreContainer.client(at: store.path, schema: 1, access: .readOnly)
    }
    for error in [never, damaged] {
      let command = "historywatch migrate \(store.path) --plan DIRECTORY"
      #expect(error?.hint?.hasSuffix(command) == true, "\(error as Any)")
    }
  }

  @Test("a marker that is missing, or not what an owner wrote, is none")
  func markers() throws {
    let store = try store()
    let path = store.neighbours.marker
    let good = try #require(try DurableFile(path: path).read(limit: 4096))
    let text = String(decoding: good, as: UTF8.self)
    // Each half of it, as a torn write would leave it.
    for length in 0..<good.count - 1 {
      try overwriteMarker(store, Array(good.prefix(length)))
      #expect(store.refusal(schema: 2) == .notReady, "\(length) bytes")
    }
    let changes = [
      ("\"format\":1", "\"format\":2"), ("\"format\":1", "\"format\":\"1\""),
      ("\"schema\":2", "\"schema\":\"2\""), ("\"schema\":2", "\"schema\":2.5"),
      ("\"schema\":2", "\"schema\":99999999999999999999"), ("\"at\":\"2", "\"at\":\"x"),
      ("\"writer\"", "\"other\""), ("\"store\":\"", "\"store\":\"x"),
    ]
    for (old, new) in changes {
      let parts = text.split(separator: old, maxSplits: 1)
      try #require(parts.count == 2, "\(old) in \(text)")
      try overwriteMarker(store, Array((parts[0] + new + parts[1]).utf8))
      #expect(store.refusal(schema: 2) == .notReady, "\(new)")
    }
    for bytes in [good + good, [0xFF] + good, [UInt8](repeating: 0x20, count: 5000), [0]] {
      try overwriteMarker(store, bytes)
      #expect(store.refusal(schema: 2) == .notReady)
    }
    try overwriteMarker(store, good)
    #expect(store.refusal(schema: 2) == nil)
    try FileNames.remove(path)
    try #require(mkdir(path, 0o700) == 0)
    #expect(store.refusal(schema: 2) != nil)
    try #require(rmdir(path) == 0)
    #expect(store.refusal(schema: 2) == .notReady)
    // The owner mends it without applying anything.
    #expect(try store.migrate(Self.plan).applied == [])
    #expect(store.refusal(schema: 2) == nil)
  }

  @Test("a marker of another store, or of another version, is not believed")
  func foreign() throws {
    let (store, other) = (try store(), try store())
    let mine = try #require(try ReadinessMarker.read(store.neighbours))
    let its = try #require(try ReadinessMarker.read(other.neighbours))
    try its.write(store.neighbours)
    #expect(store.refusal(schema: 2) == .foreign)
    for (schema, wanted) in [(1, UnavailableReason.newerSchema), (3, .olderSchema)] {
      try ReadinessMarker(store: mine.store, schema: schema, writer: "x", time: mine.time)
        .write(store.neighbours)
      // The marker says so, and the store does not.
      #expect(store.refusal(schema: schema) == wanted)
      #expect(store.refusal(schema: 2) != nil)
    }
    try store.migrate(Self.plan)
    #expect(try ReadinessMarker.read(store.neighbours)?.store == mine.store)
    #expect(store.refusal(schema: 2) == nil)
  }

  /// Everything that has a say, in every combination.
  @Test("it is ready only where all that has a say agrees", arguments: 0...3)
  func combinations(marked: Int) throws {
    var ready: [Int] = []
    for (isForeign, hasChanged) in [(false, false), (false, true), (true, false), (true, true)] {
      let store = try store()
      let mine = try #require(try ReadinessMarker.read(store.neighbours))
      let its = isForeign ? StoreIdentifier() : mine.store
      try FileNames.remove(store.neighbours.marker)
      if marked > 0 {
        try ReadinessMarker(store: its, schema: marked, writer: "x", time: mine.time)
          .write(store.neighbours)
      }
      let connection = try store.connection()
      if hasChanged { try connection.execute("ALTER TABLE tasks ADD COLUMN x") }
      for version in 1...3 {
        try connection.execute("PRAGMA user_version = \(version)")
        for asked in 1...3 {
          let isReady = !isForeign && !hasChanged && marked == version && version == asked
          let refusal = store.refusal(schema: asked)
          #expect((refusal == nil) == isReady, "\(isForeign) \(hasChanged) \(version) \(asked)")
          if isReady { ready.append(asked) }
        }
      }
      try connection.close()
    }
    #expect(ready == (marked > 0 ? [marked] : []))
  }

  @Test("a store that a marker promises and that is none is not opened")
  func damaged() throws {
    let store = try store()
    try DurableFile(path: store.path).replace(with: Array("not a database, but long enough".utf8))
    #expect(store.refusal(schema: 2) == .notADatabase)
    try DurableFile(path: store.path).replace(with: [])
    #expect(store.refusal(schema: 2) == .olderSchema)
    try FileNames.remove(store.path)
    #expect(store.refusal(schema: 2) == .missing)
    try #require(mkdir(store.path, 0o700) == 0)
    #expect(store.refusal(schema: 2) != nil)
  }

  @Test(
    "tables that somebody else has changed are not ready, until the owner has seen them",
    arguments: [
      "ALTER TABLE tasks ADD COLUMN x", "ALTER TABLE tasks RENAME TO t", "CREATE TABLE other(x)",
      "ALTER TABLE tasks RENAME COLUMN title TO name", "DROP TABLE tasks",
      "DROP TABLE tasks; CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INT DEFAULT 0)",
      "DROP TABLE tasks; CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INT DEFAULT 1)",
    ])
  func changed(sql: String) throws {
    let store = try store()
    try store.connection().execute(sql)
    #expect(store.refusal(schema: 2) == .changedSchema)
    try store.migrate(Self.plan)
    #expect(store.refusal(schema: 2) == nil)
  }

  @Test(
    "what changes no table of the application changes nothing",
    arguments: [
      "CREATE INDEX i ON tasks(title)", "CREATE VIEW v AS SELECT 1", "ANALYZE", "VACUUM",
      "CREATE TRIGGER z AFTER INSERT ON tasks BEGIN SELECT 1; END", "PRAGMA application_id = 7",
      "INSERT INTO tasks(title) VALUES ('two')", "PRAGMA journal_mode = DELETE",
    ])
  func unchanged(sql: String) throws {
    let store = try store()
    try store.connection().execute(sql)
    #expect(store.refusal(schema: 2) == nil)
    // An owner that comes leaves the marker alone.
    let marker = try ReadinessMarker.read(store.neighbours)
    try store.migrate(Self.plan)
    #expect(try ReadinessMarker.read(store.neighbours) == marker)
  }

  @Test("the identity outlives tracking, and a new one makes the store another")
  func identity() throws {
    let store = try store()
    let first = try #require(try ReadinessMarker.read(store.neighbours)?.store)
    try store.track()
    #expect(try store.opened().state().head.storeIdentifier == first)
    #expect(store.refusal(schema: 2) == nil)
    _ = try Untracker(store.opened()).untrack([])
    #expect(store.refusal(schema: 2) == nil)
    try store.track()
    _ = try Tracker(store.opened()).track(Tracker.Request(makesNewIdentity: true))
    #expect(store.refusal(schema: 2) == .foreign)
    try store.migrate(Self.plan)
    #expect(store.refusal(schema: 2) == nil)
    let second = try #require(try ReadinessMarker.read(store.neighbours)?.store)
    #expect(second != first)
    try Untracker(store.opened()).dropHistory()
    #expect(store.refusal(schema: 2) == .foreign)
    try store.migrate(Self.plan)
    #expect(store.refusal(schema: 2) == nil)
    let third = try #require(try ReadinessMarker.read(store.neighbours)?.store)
    #expect(![first, second].contains(third))
    try store.track()
    #expect(store.refusal(schema: 2) == nil)
  }

  @Test(
    "a client waits for a moment's lock, and does not call the store broken",
    arguments: [TemporaryStore.Journal.delete, .wal])
  func locks(journal: TemporaryStore.Journal) throws {
    let store = try store(journal)
    let writer = try WriterProcess(path: store.path)
    try writer.run("BEGIN EXCLUSIVE; INSERT INTO tasks(title) VALUES ('two')")
    let client = try HistorywatchProcess(["ready", store.path, "--schema", "2"])
    if journal == .delete {
      // It waits for the lock, or is about to, once it has the file open.
      let (file, place) = (DatabaseFile(path: store.path), "/proc/\(client.processID)/fd")
      while try !FileNames.list(place).contains(where: {
        DatabaseFile(path: "\(place)/\($0)") == file
      }) {
        sched_yield()
      }
    } else {
      #expect(try client.line() == "ready: schema 2")
    }
    try writer.run("COMMIT")
    let result = try client.finish()
    #expect(result.code == 0, "\(result.errors)")
  }

  @Test("a client of an older version is refused once the store has been migrated under it")
  func overtaken() async throws {
    let store = try store()
    try store.track()
    let client = try StoreContainer.client(at: store.path, schema: 2, access: .readWrite)
    _ = try client.writer()
    #expect(try await client.rows("SELECT title FROM tasks").count == 1)
    try store.migrate(Self.plan + [.sql(3, "UPDATE tasks SET title = 'other'")])
    for sql in ["SELECT title FROM tasks", "SELECT no_such_column FROM tasks"] {
      let error = await #expect(throws: HistoryError.self) { _ = try await client.rows(sql) }
      #expect(error?.unavailableReason == .newerSchema)
    }
    let error = #expect(throws: HistoryError.self) { _ = try client.writer() }
    #expect(error?.unavailableReason == .newerSchema)
  }

  @Test(
    "a client that may not write to the directory is told, or shown the rows, but never hangs",
    arguments: [TemporaryStore.Journal.delete, .wal])
  func readOnlyDirectory(journal: TemporaryStore.Journal) throws {
    let runner =
      getuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    guard (try? HistorywatchProcess.run(["--version"], runner: runner).code) == 0 else { return }
    let store = try store(journal)
    try #require(chmod(store.path, 0o644) == 0 && chmod(store.neighbours.marker, 0o644) == 0)
    try #require(chmod(store.directory.path, 0o755) == 0)
    let names = try store.directory.names()
    let result = try HistorywatchProcess.run(
      ["ready", store.path, "--schema", "2"], runner: runner)
    if journal == .delete {
      #expect(result.code == 0, "\(result.errors)")
    } else {
      #expect(result.code == 5 && result.errors.contains(store.path), "\(result)")
    }
    #expect(try store.directory.names() == names)
    try #require(chmod(store.neighbours.marker, 0o600) == 0)
    let hidden = try HistorywatchProcess.run(
      ["ready", store.path, "--schema", "2"], runner: runner)
    #expect(hidden.code == 5 && hidden.errors.contains("marker"), "\(hidden)")
  }
}
