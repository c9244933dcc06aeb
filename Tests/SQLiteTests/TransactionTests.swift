import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Transactions")
struct TransactionTests {
  struct Stop: Error {}

  @Test("the work is committed, and its result handed on")
  func commits() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let connection = try store.connection()
    let result = try connection.transaction(.immediate) {
      try connection.run("INSERT INTO t VALUES (1)")
      #expect(connection.isInTransaction)
      return 7
    }
    #expect(result == 7)
    #expect(!connection.isInTransaction)
    #expect(try store.connection().row("SELECT x FROM t") == [1])
  }

  @Test("an error in the work rolls back and is thrown on")
  func rollsBack() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(x)")
    #expect(throws: Stop.self) {
      try connection.transaction(.exclusive) {
        try connection.run("INSERT INTO t VALUES (1)")
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.row("SELECT count(*) FROM t") == [0])
  }

  @Test("a COMMIT that fails rolls back")
  func failedCommit() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      PRAGMA foreign_keys = ON; CREATE TABLE p(id INTEGER PRIMARY KEY);
      CREATE TABLE c(p REFERENCES p(id) DEFERRABLE INITIALLY DEFERRED);
      """)
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction(.deferred) { try connection.run("INSERT INTO c VALUES (9)") }
    }
    #expect(error?.code == .constraintForeignKey)
    #expect(!connection.isInTransaction)
    #expect(try connection.row("SELECT count(*) FROM c") == [0])
  }

  @Test("work that ended the transaction by itself is not rolled back twice")
  func endedWithin() throws {
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(x)")
    let error = #expect(throws: SQLiteError.self) {
      try connection.transaction(.deferred) {
        try connection.execute("ROLLBACK")
        throw SQLiteError(code: .abort, message: "ended")
      }
    }
    #expect(error?.message == "ended")
  }

  @Test("a BEGIN that meets a lock runs nothing")
  func busyBegin() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let (one, two) = (try store.connection(), try store.connection())
    try one.transaction(.immediate) {
      let error = #expect(throws: SQLiteError.self) {
        try two.transaction(.immediate) { Issue.record("must not run") }
      }
      #expect(error?.code == .busy)
    }
  }
}
