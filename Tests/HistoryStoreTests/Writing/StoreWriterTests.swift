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

@Suite("Store writer")
struct StoreWriterTests {
  private struct OwnError: Error, Equatable { var number: Int }

  private func store(_ sql: String = "CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE)") throws
    -> TemporaryStore
  {
    let store = try TemporaryStore(sql: sql)
    try store.track()
    return store
  }

  @Test("what a body writes is one transaction under its author, and its token follows it")
  func tagged() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let first = try await writer.write(author: "app", context: "why") {
      try $0.run("INSERT INTO t VALUES (?, ?)", 1, "x")
      try $0.execute("INSERT INTO t VALUES (2, 'y'); UPDATE t SET a = 'z' WHERE id = 1")
    }
    let second = try await writer.write(author: "widget") {
      try $0.run("DELETE FROM t WHERE id = 2")
    }
    let transactions = try store.recorded().transactions
    #expect(transactions.map(\.record.author) == ["app", "widget"])
    #expect(transactions.map(\.record.context) == ["why", nil])
    #expect(transactions.map(\.record.isTagged) == [true, true])
    #expect(transactions.map(\.token) == [first, second])
    #expect(
      transactions[0].lines
        == ["insert t[1] id=1 a='x'", "insert t[2] id=2 a='y'", "update t[1] a='x'>'z'"])
    #expect(try store.opened().state().head == second)
    #expect(transactions.allSatisfy { $0.record.timestamp != nil })
  }

  @Test("two writes of the same at the same moment have different tokens")
  func nonce() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let one = try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    let copy = store.directory.file("copy")
    try Backup.copy(from: store.connection(), to: copy)
    _ = try await writer.write(author: "app") { try $0.run("DELETE FROM t") }
    let lost = try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    try Backup.copy(from: Connection(path: copy), into: store.connection())
    _ = try await writer.write(author: "app") { try $0.run("DELETE FROM t") }
    let again = try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    #expect(again.sequence == lost.sequence)
    #expect(again != lost)
    #expect(try store.opened().resolve(.after(one)).position == .usable(one))
  }

  @Test("rows come back as values, RETURNING's too")
  func rows() async throws {
    let store = try store()
    try await StoreWriter(path: store.path).write(author: "app") { transaction in
      let returned = try transaction.rows(
        "INSERT INTO t VALUES (1, ?), (2, ?) RETURNING id, a", .blob([0, 255]), -0.0)
      #expect(returned == [[1, .blob([0, 255])], [2, .real(-0.0)]])
      #expect(try transaction.rows("SELECT count(*) FROM t") == [[2]])
    }
  }

  @Test("nothing changed gives the head, and leaves no trace")
  func nothing() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let head = try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    for sql in ["SELECT 1", "UPDATE t SET a = a", "DELETE FROM t WHERE id = 9"] {
      #expect(try await writer.write(author: "app") { try $0.run(sql) } == head)
    }
    #expect(try await writer.write(author: "app") { _ in } == head)
    #expect(try store.opened().state().head == head)
  }

  @Test("a body's own error is thrown on as it is, and everything is rolled back")
  func ownError() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    await #expect(throws: OwnError(number: 7)) {
      try await writer.write(author: "app") {
        try $0.run("INSERT INTO t VALUES (1, 1)")
        throw OwnError(number: 7)
      }
    }
    #expect(try store.connection().row("SELECT count(*) FROM t") == [0])
    #expect(try store.recorded().events.isEmpty)
    // The writer is of use all the same.
    try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    #expect(try store.recorded().lines.count == 1)
  }

  @Test("an error of SQL that the body lets pass does not end the transaction")
  func passedError() async throws {
    let store = try store()
    try await StoreWriter(path: store.path).write(author: "app") {
      try $0.run("INSERT INTO t VALUES (1, 1)")
      try? $0.run("INSERT INTO t VALUES (1, 2)")
      try? $0.run("nonsense")
      try $0.run("INSERT INTO t VALUES (3, 3)")
    }
    #expect(try store.recorded().transactions.map(\.changes.count) == [2])
  }

  @Test(
    "what could not be part of one tagged transaction is refused",
    arguments: [
      "COMMIT", "END", "ROLLBACK", "BEGIN", "ATTACH ':memory:' AS x", "DETACH main", "VACUUM",
      "INSERT INTO history_author(name) VALUES ('other')", "DELETE FROM history_author",
      "DELETE FROM _history_change", "UPDATE _history_store SET value = 2",
      "INSERT INTO _history_stash(what) VALUES (1)", "DROP TABLE _history_change",
      "DELETE FROM _HISTORY_CHANGE",
    ])
  func refused(sql: String) async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") {
        try $0.run("INSERT INTO t VALUES (1, 1)")
        try $0.execute(sql)
      }
    }
    #expect(error?.code == .statementFailed)
    #expect(error?.hint != nil)
    #expect(try store.connection().row("SELECT count(*) FROM t") == [0])
    #expect(try store.recorded().events.isEmpty)
    // Nor if the body lets the refusal pass.
    try await writer.write(author: "app") {
      try $0.run("INSERT INTO t VALUES (1, 1)")
      try? $0.execute(sql)
    }
    #expect(try store.recorded().transactions.map(\.record.author) == ["app"])
  }

  @Test("savepoints are fine")
  func savepoints() async throws {
    let store = try store()
    try await StoreWriter(path: store.path).write(author: "app") {
      try $0.execute(
        """
        INSERT INTO t VALUES (1, 1); SAVEPOINT s; INSERT INTO t VALUES (2, 2);
        ROLLBACK TO s; INSERT INTO t VALUES (3, 3); RELEASE s
        """)
    }
    #expect(
      try store.recorded().transactions.map(\.lines)
        == [["insert t[1] id=1 a=1", "insert t[3] id=3 a=3"]])
  }

  @Test("SQL that ends the transaction by itself fails the write, let pass or not")
  func orRollback() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    for isPassed in [false, true] {
      let error = await #expect(throws: HistoryError.self) {
        try await writer.write(author: "app") { transaction in
          try transaction.run("INSERT INTO t VALUES (1, 1)")
          do {
            try transaction.run("INSERT OR ROLLBACK INTO t VALUES (1, 2)")
          } catch {
            if !isPassed { throw error }
          }
        }
      }
      #expect(error?.code == .statementFailed)
      #expect(try store.connection().row("SELECT count(*) FROM t") == [0])
      #expect(try store.recorded().events.isEmpty)
    }
    try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
  }

  @Test("a deferred foreign key that fails at COMMIT rolls back")
  func deferred() async throws {
    let store = try store(
      """
      CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p DEFERRABLE INITIALLY DEFERRED)
      """)
    let writer = try StoreWriter(path: store.path, foreignKeys: true)
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") { try $0.run("INSERT INTO c VALUES (1, 1)") }
    }
    #expect(error?.code == .statementFailed)
    #expect(try store.recorded().events.isEmpty)
    try await writer.write(author: "app") {
      try $0.execute("INSERT INTO c VALUES (1, 1); INSERT INTO p VALUES (1)")
    }
    #expect(try store.recorded().transactions.count == 1)
    // Without being asked foreign keys are off, as SQLite has them.
    try await StoreWriter(path: store.path).write(author: "app") {
      try $0.run("INSERT INTO c VALUES (2, 2)")
    }
  }

  @Test("an author has a name")
  func emptyAuthor() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    }
    #expect(error?.code == .usage)
  }

  @Test(
    "wrong SQL, and values of the wrong number, are told", arguments: ["nonsense", "", "SELECT ?"])
  func wrongSQL(sql: String) async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") { try $0.run(sql) }
    }
    #expect(error?.code == .statementFailed)
  }

  @Test("a store that is locked is tried again later")
  func locked() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path, busyTimeout: 0)
    let other = try store.connection()
    try other.execute("BEGIN IMMEDIATE")
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
    }
    #expect(error?.code == .temporary)
    try other.execute("COMMIT")
    try await writer.write(author: "app") { try $0.run("INSERT INTO t VALUES (1, 1)") }
  }

  @Test("what is no tracked store is refused, and none is created")
  func noStore() throws {
    let directory = try TemporaryDirectory()
    let missing = #expect(throws: HistoryError.self) {
      try StoreWriter(path: directory.file("none"))
    }
    #expect(missing?.code == .storeUnavailable)
    #expect(DatabaseFile(path: directory.file("none")) == nil)
    let plain = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let error = #expect(throws: HistoryError.self) { try StoreWriter(path: plain.path) }
    #expect(error?.code == .notTracked)
  }

  @Test("after OR ROLLBACK nothing of the body is committed by itself")
  func afterOrRollback() async throws {
    let store = try store()
    let writer = try StoreWriter(path: store.path)
    await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") {
        try $0.run("INSERT INTO t VALUES (1, 1)")
        try? $0.run("INSERT OR ROLLBACK INTO t VALUES (1, 2)")
        try? $0.run("INSERT INTO t VALUES (5, 5)")
      }
    }
    #expect(try store.connection().row("SELECT count(*) FROM t") == [0])
  }

  @Test("a writer follows the path to a file that holds the same store, and writes to no other")
  func followsThePath() async throws {
    let (store, other) = (
      try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)", journal: .delete),
      try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)", journal: .delete)
    )
    try store.track()
    try other.track()
    let writer = try StoreWriter(path: store.path)
    try await writer.write(author: "app") { try $0.execute("INSERT INTO t VALUES (1)") }
    // A copy is put in the place of the file, as a restore does it.
    let copy = store.directory.file("copy")
    try Backup.copy(from: store.connection(access: .readOnly), to: copy)
    #expect(rename(copy, store.path) == 0)
    try await writer.write(author: "app") { try $0.execute("INSERT INTO t VALUES (2)") }
    #expect(try store.connection().row("SELECT count(*) FROM t") == [.integer(2)])
    // What is moved over it while a transaction is open undoes that.
    let second = store.directory.file("second")
    try Backup.copy(from: store.connection(access: .readOnly), to: second)
    let error = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") { transaction in
        try transaction.execute("INSERT INTO t VALUES (3)")
        #expect(rename(second, store.path) == 0)
      }
    }
    #expect(error?.code == .temporary)
    #expect(try store.connection().row("SELECT count(*) FROM t") == [.integer(2)])
    #expect(rename(other.path, store.path) == 0)
    let refused = await #expect(throws: HistoryError.self) {
      try await writer.write(author: "app") { try $0.execute("INSERT INTO t VALUES (4)") }
    }
    #expect(refused?.code == .storeUnavailable)
    #expect(try store.connection().row("SELECT count(*) FROM t") == [.integer(0)])
  }
}
