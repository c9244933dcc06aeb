import EventLoop
import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Diagnosis of a store", .timeLimit(.minutes(1)))
struct StoreDiagnosisTests {
  /// The words that are stored, or are in SQL, and must be nowhere.
  private static let secrets = ["buy milk", "3.25125", "a default", "c0ffee"]

  private func diagnosis(_ path: String) throws -> JSONValue {
    let diagnosis = StoreDiagnosis(of: path, program: "test 1")
    let text = String(decoding: diagnosis.bytes, as: UTF8.self)
    for secret in Self.secrets { #expect(!text.contains(secret), "\(text)") }
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    #expect(!text.contains(path[..<slash]), "\(text)")
    // What was written can be read.
    return try JSONValue(parsing: Array(text.utf8)[...])
  }

  private func store(_ journal: TemporaryStore.Journal = .wal) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT DEFAULT 'a default', v);
        CREATE TABLE steps(task REFERENCES tasks(id));
        CREATE INDEX by_title ON tasks(title) WHERE title <> 'a default';
        INSERT INTO tasks VALUES (1, 'buy milk', 3.25125), (2, 'buy milk', x'c0ffee');
        INSERT INTO steps VALUES (1), (77), (78);
        """, journal: journal)
    try store.track()
    _ = try Consumers(store.opened()).create("reader", at: .oldest)
    try store.connection().execute("UPDATE tasks SET title = 'buy milk too'")
    return store
  }

  @Test(
    "it has versions, settings, sizes, and what the checks found",
    arguments: [
      TemporaryStore.Journal.wal, .delete,
    ])
  func whole(journal: TemporaryStore.Journal) throws {
    let store = try store(journal)
    let found = try diagnosis(store.path)
    #expect(found["program"]?.string == "test 1")
    #expect(found["sqlite"]?["version"]?.string == SQLiteLibrary.version)
    #expect(found["libuv"]?.string == LoopExecutor.libraryVersion)
    #expect(found["system"]?["machine"]?.string?.isEmpty == false)
    #expect(found["store"]?.string == "store.sqlite")
    #expect(found["marker"] == .null && found["ready"] == .null && found["unavailable"] == .null)
    #expect(found["owner"]?["isAtWork"] == false)
    #expect(found["pragmas"]?["journal_mode"]?.string == journal.rawValue)
    #expect(found["pragmas"]?["page_size"]?.integer == 4096)
    #expect(found["integrity"] == ["failure": .null, "findings": []])
    #expect(found["foreignKeys"]?["findings"] == [["table": "steps", "count": 2]])
    #expect(found["history"]?["consumers"] == [["name": "reader", "lag": 2]])
    #expect(found["history"]?["epoch"]?.integer == 1)
    guard case .array(let files) = found["files"] else {
      Issue.record("no files")
      return
    }
    #expect(files.first?["name"]?.string == "store.sqlite")
    #expect(files.first?["size"]?.integer == DatabaseFile(path: store.path)?.size)
  }

  @Test("drift of capture and an owner at work are told")
  func drift() throws {
    let store = try store()
    try store.connection().execute("ALTER TABLE tasks ADD COLUMN due DEFAULT 'a default'")
    let lock = try OwnerLock(StoreNeighbours(of: store.path), owner: "app")
    let found = try diagnosis(store.path)
    guard case .array(let tables) = found["history"]?["tables"] else {
      Issue.record("no tables")
      return
    }
    #expect(tables.contains { $0["drift"] != [] })
    #expect(found["owner"]?["isAtWork"] == true)
    #expect(found["owner"]?["last"]?.string?.hasPrefix("app ") == true)
    #expect(found["ready"] == ["reason": "migrating"])
    withExtendedLifetime(lock) {}
  }

  @Test("a store that cannot be opened has one with the reason, and its files")
  func unopened() throws {
    let directory = try TemporaryDirectory()
    let nowhere = try diagnosis(directory.file("app.db"))
    #expect(nowhere["unavailable"]?["reason"]?.string == "missing")
    #expect(nowhere["files"] == [])

    let path = directory.file("text.db")
    try DurableFile(path: path).replace(with: Array("buy milk, but not in a database".utf8))
    let text = try diagnosis(path)
    #expect(text["unavailable"]?["reason"]?.string == "not-a-database")
    #expect(text["unavailable"]?["sqlite"]?.string == "SQLITE_NOTADB")
    #expect(text["pragmas"] == nil)
    #expect(FileNames.isTaken(path))
  }

  @Test("a damaged page is found, and nothing of what is on it is told")
  func damaged() throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, v);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO t SELECT i, printf('buy milk %0900d', i) FROM n
        """, journal: .delete)
    var bytes = try #require(try DurableFile(path: store.path).read(limit: .max))
    for place in 0..<2000 { bytes[bytes.count - 4096 * 3 + place] = 0x5A }
    try DurableFile(path: store.path).replace(with: bytes)
    let found = try diagnosis(store.path)
    #expect(found["unavailable"] == .null)
    guard case .array(let findings) = found["integrity"]?["findings"] else {
      Issue.record("no findings")
      return
    }
    #expect(!findings.isEmpty || found["integrity"]?["failure"]?.string == "SQLITE_CORRUPT")
    #expect(findings.allSatisfy { $0["found"]?.string?.contains("damaged") == true })
  }

  @Test("a check that takes too long is given up, and said to be")
  func limited() throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, v);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO t SELECT i, i FROM n
        """)
    let diagnosis = StoreDiagnosis(of: store.path, program: "test", limit: .zero)
    #expect(diagnosis.object["integrity"]?["failure"]?.string == "SQLITE_INTERRUPT")
  }

  @Test("it is written whole into a file, and never over the store")
  func written() throws {
    let store = try store()
    let diagnosis = StoreDiagnosis(of: store.path, program: "test")
    let output = store.directory.file("diagnosis.json")
    try diagnosis.write(to: output)
    #expect(try DurableFile(path: output).read(limit: .max) == diagnosis.bytes)
    #expect(FileNames.permissions(of: output) == 0o600)
    for part in ["", "-wal", "-shm", "-journal", "-ready", "-owner"] {
      let error = #expect(throws: HistoryError.self) { try diagnosis.write(to: store.path + part) }
      #expect(error?.code == .usage)
    }
    let error = #expect(throws: HistoryError.self) {
      try diagnosis.write(to: store.directory.file("nowhere/diagnosis.json"))
    }
    #expect(error?.unavailableReason == .permissions)
  }
}
