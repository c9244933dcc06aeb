import Glibc
import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Connection")
struct ConnectionTests {
  @Test("opening a path at which there is nothing fails and creates nothing")
  func neverCreates() throws {
    let directory = try TemporaryDirectory()
    for access in [Connection.Access.readOnly, .readWrite] {
      let error = #expect(throws: SQLiteError.self) {
        try Connection(path: directory.file("missing"), access: access)
      }
      #expect(error?.code == .cantOpen)
      #expect(error?.message == "unable to open database file")
    }
    #expect(access(directory.file("missing"), F_OK) == -1)
  }

  @Test(
    "a path is the path of a file, whatever it looks like",
    arguments: ["", ":memory:", "file::memory:", "file:/etc/passwd", "file:x?mode=memory", "a\0b"])
  func specialPaths(path: String) throws {
    let error = #expect(throws: SQLiteError.self) { try Connection(path: path) }
    #expect(error?.code.primary == .cantOpen)
  }

  @Test("a directory is not a database")
  func directory() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: SQLiteError.self) { try Connection(path: directory.path) }
    #expect(error?.code.primary == .cantOpen)
  }

  @Test("a file that is no database shows when it is first read")
  func notADatabase() throws {
    let connection = try Connection(path: "/etc/services", access: .readOnly)
    let error = #expect(throws: SQLiteError.self) { try connection.row("SELECT * FROM t") }
    #expect(error?.code == .notADatabase)
  }

  @Test("a read-only connection does not write")
  func readOnly() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection(access: .readOnly)
    #expect(connection.isReadOnly)
    #expect(try !store.connection().isReadOnly)
    let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (1)") }
    #expect(error?.code.primary == .readOnly)
  }

  @Test("closing twice is closing once, and afterwards every call fails as misuse")
  func close() throws {
    let connection = try Connection.inMemory()
    try connection.close()
    try connection.close()
    let error = #expect(throws: SQLiteError.self) { try connection.run("SELECT 1") }
    #expect(error?.code == .misuse)
    #expect(!connection.isInTransaction)
    #expect(connection.changes == 0)
    #expect(!connection.hasMoved)
    #expect(!connection.hasBusyStatement)
  }

  @Test("closing fails while a statement lives, and the connection stays open")
  func closeWithStatement() throws {
    let connection = try Connection.inMemory()
    var statement: Statement? = try connection.prepare("SELECT 1")
    let error = #expect(throws: SQLiteError.self) { try connection.close() }
    #expect(error?.code == .busy)
    #expect(try statement?.step() == true)
    #expect(connection.hasBusyStatement)
    statement = nil
    #expect(!connection.hasBusyStatement)
    try connection.close()
  }

  @Test("a statement keeps its connection alive")
  func statementOutlivesVariable() throws {
    var connection: Connection? = try Connection.inMemory()
    let statement = try #require(try connection?.prepare("SELECT 7"))
    connection = nil
    #expect(try statement.step())
    #expect(statement.int64(at: 0) == 7)
  }

  @Test("letting a connection go closes its files")
  func deinitCloses() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    do {
      let connection = try store.connection()
      try connection.run("INSERT INTO t VALUES (1)")
      #expect(access(store.path + "-wal", F_OK) == 0)
    }
    #expect(access(store.path + "-wal", F_OK) == -1)
  }

  @Test("it notices that its file was moved or replaced")
  func hasMoved() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection()
    _ = try connection.row("SELECT * FROM t")
    #expect(!connection.hasMoved)
    rename(store.path, store.directory.file("elsewhere"))
    #expect(connection.hasMoved)
    #expect(try !Connection.inMemory().hasMoved)
  }

  @Test("counters tell rows and transactions")
  func counters() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1),(2); BEGIN")
    #expect(connection.isInTransaction)
    #expect(connection.changes == 2)
    #expect(connection.lastInsertRowID == 2)
    try connection.execute("DELETE FROM t WHERE x = 1; COMMIT")
    #expect(!connection.isInTransaction)
    #expect(connection.changes == 1)
    #expect(connection.totalChanges == 3)
  }

  @Test("triggers can be switched off, also for statements prepared before")
  func triggers() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t(x); CREATE TABLE log(x);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.x); END;
      """)
    let insert = try connection.prepare("INSERT INTO t VALUES (1)")
    connection.setTriggersEnabled(false)
    try insert.run()
    #expect(try connection.row("SELECT count(*) FROM log") == [0])
    connection.setTriggersEnabled(true)
    try insert.run()
    #expect(try connection.row("SELECT count(*) FROM log") == [1])
  }

  @Test("an untrusted schema may not call every function")
  func trustedSchema() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE VIEW v AS SELECT load_extension('x') AS y")
    connection.setTrustedSchema(false)
    let error = #expect(throws: SQLiteError.self) { try connection.row("SELECT * FROM v") }
    #expect(error?.message == "unsafe use of load_extension()")
  }

  @Test("a busy timeout of nothing fails at once, with a code that may be tried again")
  func busy() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let one = try store.connection()
    let two = try store.connection()
    try one.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SQLiteError.self) { try two.execute("BEGIN IMMEDIATE") }
    #expect(error?.code == .busy)
    #expect(error?.code.isTransient == true)
    #expect(!two.hasBusyStatement)
    two.setBusyTimeout(milliseconds: 1)
    #expect(throws: SQLiteError.self) { try two.execute("BEGIN IMMEDIATE") }
  }

  @Test("it can be sent to an actor once made")
  func sending() async throws {
    actor Owner {
      let connection: Connection
      init(_ connection: sending Connection) { self.connection = connection }
      func answer() throws -> [StoredValue]? { try connection.row("SELECT 42") }
    }
    let owner = Owner(try Connection.inMemory())
    #expect(try await owner.answer() == [42])
  }

  @Test("one that is closed while its statements are limited is left alone afterwards")
  func closedInside() throws {
    FreedMemory.spoil()
    for _ in 0..<10 {
      let connection = try Connection.inMemory()
      try connection.stopping(when: { false }) { try connection.close() }
      let other = try Connection.inMemory()
      try other.withTimeLimit(.seconds(1)) { () throws(SQLiteError) in try other.close() }
      #expect(throws: SQLiteError.self) { try other.execute("SELECT 1") }
    }
  }
}
