import HistoryModel
import SQLite
import Testing

@Suite("Authorizer")
struct AuthorizerTests {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(x, y); CREATE TABLE u(x); INSERT INTO t VALUES (1, 2)")
  }

  @Test("what is denied fails when it is prepared, with its code")
  func denies() throws {
    connection.setAuthorizer { action in
      [.transaction, .attach, .detach].contains(action.code) ? .deny : .allow
    }
    for sql in ["COMMIT", "BEGIN", "ROLLBACK", "ATTACH ':memory:' AS a", "VACUUM INTO 'x'"] {
      let error = #expect(throws: SQLiteError.self) { try connection.run(sql) }
      #expect(error?.code == .auth)
    }
    try connection.execute("SAVEPOINT s; INSERT INTO t VALUES (3, 4); RELEASE s")
    connection.setAuthorizer(nil)
    try connection.execute("BEGIN; COMMIT")
  }

  @Test("what is ignored reads as NULL")
  func ignores() throws {
    connection.setAuthorizer { $0.code == .read && $0.second == "y" ? .ignore : .allow }
    #expect(try connection.row("SELECT x, y FROM t") == [1, .null])
  }

  @Test("actions name table, column, database and trigger")
  func details() throws {
    try connection.execute(
      "CREATE TRIGGER g AFTER UPDATE ON t BEGIN INSERT INTO u VALUES (NEW.x); END")
    var actions: [AuthorizerAction] = []
    connection.setAuthorizer {
      actions.append($0)
      return .allow
    }
    try connection.run("UPDATE t SET y = 5")
    let update = try #require(actions.first { $0.code == .update })
    #expect(
      [update.first, update.second, update.database, update.trigger] == ["t", "y", "main", nil])
    let insert = try #require(actions.first { $0.code == .insert })
    #expect(
      [insert.first, insert.second, insert.database, insert.trigger] == ["u", nil, "main", "g"])
  }

  @Test("statements prepared before meet a rule set later")
  func existing() throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (5, 6)")
    try insert.run()
    connection.setAuthorizer { $0.code == .insert ? .deny : .allow }
    let error = #expect(throws: SQLiteError.self) { try insert.run() }
    #expect(error?.code == .auth)
  }
}
