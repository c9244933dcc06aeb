import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: what is undone takes its history along")
struct RollbackFacts {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(CaptureFacts.tracked)
    try connection.execute("INSERT INTO t VALUES (1, 'taken'); DELETE FROM log")
  }

  func counts() throws -> [StoredValue]? {
    try connection.row("SELECT (SELECT count(*) FROM t), (SELECT count(*) FROM log)")
  }

  @Test("fact 9: a statement that fails half-way leaves no history")
  func statement() throws {
    #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO t(x) VALUES ('a'), ('b'), ('taken'), ('c')")
    }
    #expect(try counts() == [1, 0])
  }

  @Test("fact 9: a savepoint and a transaction rolled back leave none")
  func savepoint() throws {
    try connection.execute(
      """
      BEGIN; INSERT INTO t(x) VALUES ('a');
      SAVEPOINT s; INSERT INTO t(x) VALUES ('b'); ROLLBACK TO s;
      """)
    #expect(try counts() == [2, 1])
    try connection.execute("ROLLBACK")
    #expect(try counts() == [1, 0])
  }

  @Test("fact 9: OR FAIL keeps the rows before the failing one, with their history")
  func orFail() throws {
    #expect(throws: SQLiteError.self) {
      try connection.run("INSERT OR FAIL INTO t(x) VALUES ('a'), ('b'), ('taken'), ('c')")
    }
    #expect(try counts() == [3, 2])
  }

  static let deferred = """
    PRAGMA foreign_keys = ON;
    CREATE TABLE c(p REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER ci AFTER INSERT ON c BEGIN INSERT INTO log(what) VALUES ('c'); END;
    """

  @Test("fact 9, fact 43: a COMMIT that a deferred foreign key refuses leaves all open")
  func failedCommit() throws {
    try connection.execute(Self.deferred)
    try connection.execute("BEGIN; INSERT INTO c VALUES (9)")
    let error = #expect(throws: SQLiteError.self) { try connection.execute("COMMIT") }
    #expect(error?.code == .constraintForeignKey)
    #expect(connection.isInTransaction)
    try connection.execute("INSERT INTO t(id) VALUES (9); COMMIT")
    #expect(try counts() == [2, 2])
  }

  @Test("fact 43: triggers switched off in a writer are not seen by anybody")
  func triggersOff() throws {
    connection.setTriggersEnabled(false)
    try connection.run("INSERT INTO t(x) VALUES ('unseen')")
    #expect(try counts() == [2, 0])
  }

  @Test("fact 43: a writer's authorizer sees the history table, and may refuse it")
  func authorizer() throws {
    var seen: [String?] = []
    connection.setAuthorizer {
      guard $0.code == .insert, $0.first == "log" else { return .allow }
      seen.append($0.trigger)
      return .deny
    }
    let error = #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO t(x) VALUES (5)")
    }
    #expect(error?.code == .auth)
    #expect(seen == ["ti"])
  }

}
