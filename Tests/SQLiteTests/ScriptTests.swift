import HistoryModel
import SQLite
import Testing

@Suite("Scripts")
struct ScriptTests {
  @Test("statements are handed out one by one, without comments and empty ones")
  func iterates() throws {
    let connection = try Connection.inMemory()
    var texts: [String] = []
    try connection.forEachStatement(
      in: """
        ;; -- nothing
        CREATE TABLE t(x); /* then */
        INSERT INTO t VALUES ('a;b''c');;
        SELECT x FROM t -- last
        """
    ) {
      texts.append($0.sql)
      try $0.run()
    }
    #expect(texts.count == 3)
    #expect(texts[1] == "/* then */\nINSERT INTO t VALUES ('a;b''c');")
    #expect(try connection.row("SELECT x FROM t") == ["a;b'c"])
  }

  @Test("a trigger's inner semicolons do not end it")
  func trigger() throws {
    let connection = try Connection.inMemory()
    try connection.execute(
      """
      CREATE TABLE t(x); CREATE TABLE u(x);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN
        INSERT INTO u VALUES (1); INSERT INTO u VALUES (2);
      END;
      INSERT INTO t VALUES (0);
      """)
    #expect(try connection.row("SELECT count(*) FROM u") == [2])
  }

  @Test("what stands before the failing statement has run")
  func partial() throws {
    let connection = try Connection.inMemory()
    let error = #expect(throws: SQLiteError.self) {
      try connection.execute("CREATE TABLE t(x); INSERT INTO t VALUES (1); INSERT INTO u SELECT 1")
    }
    #expect(error?.message == "no such table: u")
    #expect(try connection.row("SELECT x FROM t") == [1])
  }

  @Test("exactly one statement is one statement", arguments: ["", " ;", "-- x", "/* x */;"])
  func none(sql: String) throws {
    let connection = try Connection.inMemory()
    let error = #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
    #expect(error?.message == "the text holds no statement")
    try connection.execute(sql)
  }

  @Test("more than one statement is an error, and neither runs")
  func several() throws {
    let connection = try Connection.inMemory()
    let error = #expect(throws: SQLiteError.self) {
      try connection.run("CREATE TABLE t(x); CREATE TABLE u(x)")
    }
    #expect(error?.message == "the text holds more than one statement")
    #expect(try connection.row("SELECT count(*) FROM sqlite_master") == [0])
    _ = try connection.prepare("SELECT 1; -- and no more\n ;")
  }

  @Test("a NUL does not silently end a script")
  func nul() throws {
    let connection = try Connection.inMemory()
    for script in ["SELECT 1; \0 SELECT 2", "\0", "SELECT 1\0"] {
      #expect(throws: SQLiteError.self) { try connection.execute(script) }
      #expect(throws: SQLiteError.self) { try connection.prepare(script) }
    }
  }

  @Test("an error thrown by the body ends the script")
  func bodyThrows() throws {
    struct Stop: Error {}
    let connection = try Connection.inMemory()
    #expect(throws: Stop.self) {
      try connection.forEachStatement(in: "SELECT 1; nonsense") { _ in throw Stop() }
    }
  }
}
