import Glibc
import HistoryModel
import SQLite
import Testing

@Suite("Errors")
struct ErrorTests {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute(
      """
      PRAGMA foreign_keys = ON;
      CREATE TABLE p(id INTEGER PRIMARY KEY, u UNIQUE, n NOT NULL DEFAULT 0, c CHECK (c > 0),
        f REFERENCES p(id), t TEXT);
      CREATE TABLE w(k TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE s(x INTEGER) STRICT;
      CREATE TRIGGER g BEFORE DELETE ON p BEGIN SELECT RAISE(ABORT, 'not so'); END;
      INSERT INTO p(id, u) VALUES (1, 1);
      INSERT INTO w VALUES ('a');
      """)
  }

  @Test(
    "an error carries the extended code",
    arguments: [
      ("INSERT INTO p(u) VALUES (1)", ResultCode.constraintUnique),
      ("INSERT INTO p(n) VALUES (NULL)", .constraintNotNull),
      ("INSERT INTO p(c) VALUES (0)", .constraintCheck),
      ("INSERT INTO p(f) VALUES (99)", .constraintForeignKey),
      ("INSERT INTO p(id) VALUES (1)", .constraintPrimaryKey),
      ("INSERT INTO w VALUES ('a')", .constraintPrimaryKey),
      ("INSERT INTO s VALUES ('a')", .constraintDatatype),
      ("INSERT INTO p(id) VALUES ('a')", .mismatch),
      ("DELETE FROM p", .constraintTrigger),
      ("SELECT zeroblob(2000000000)", .tooBig),
      ("SELECT * FROM nowhere", .error),
    ])
  func extendedCode(sql: String, code: ResultCode) throws {
    let error = #expect(throws: SQLiteError.self) { try connection.run(sql) }
    #expect(error?.code == code)
    #expect(error?.sql == sql)
    #expect(!connection.hasBusyStatement)
  }

  @Test("the place of a fault in the text is told")
  func offset() throws {
    let error = #expect(throws: SQLiteError.self) { try connection.run("SELECT nowhere FROM p") }
    #expect(error?.offset == 7)
    #expect(
      error?.description == "SQLITE_ERROR: no such column: nowhere (in: SELECT nowhere FROM p)")
  }

  @Test("bound values never appear")
  func noValues() throws {
    let error = #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO p(id, t) VALUES (1, ?1)", "secret")
    }
    #expect(error.map { "\($0)".contains("secret") } == false)
    #expect(error.map { String(reflecting: $0).contains("secret") } == false)
  }

  @Test("a long statement is cut in a description, and stands on one line")
  func longStatement() throws {
    let sql = "SELECT\n" + String(repeating: "1, ", count: 500) + "x"
    let error = try #require(#expect(throws: SQLiteError.self) { try connection.run(sql) })
    #expect(error.sql == sql)
    #expect(error.description.count < 300)
    #expect(!error.description.contains("\n"))
  }

  @Test("a snapshot that is too old is told from a lock")
  func codes() {
    #expect(ResultCode.busySnapshot.name == "SQLITE_BUSY_SNAPSHOT")
    #expect(ResultCode.busySnapshot.primary == .busy)
    #expect(!ResultCode.busySnapshot.isTransient)
    #expect(ResultCode.busyRecovery.isTransient)
    #expect(ResultCode(rawValue: 5 | 99 << 8).name == "SQLITE_BUSY(99)")
    #expect(ResultCode(rawValue: 77).name == "SQLITE_(77)")
    #expect("\(ResultCode.notADatabase)" == "SQLITE_NOTADB")
  }

  @Test("every extended code of the C header has its name")
  func header() throws {
    let file = try #require(fopen("/usr/include/sqlite3.h", "r"))
    defer { fclose(file) }
    var (line, size, known) = (UnsafeMutablePointer<CChar>?.none, 0, 0)
    defer { free(line) }
    while getline(&line, &size, file) > 0 {
      // #define SQLITE_IOERR_READ              (SQLITE_IOERR | (1<<8))
      guard let text = line.map({ String(cString: $0) }), text.contains("<<8)"),
        let match = text.wholeMatch(
          of: /#define (SQLITE_[A-Z_]+) +\((SQLITE_[A-Z]+) *\| *\(([0-9]+)<<8\)\)[^\n]*\n/),
        !match.2.hasPrefix("SQLITE_OPEN"), let detail = Int32(match.3),
        let primary = (0..<101).first(where: { ResultCode(rawValue: $0).name == match.2 })
      else { continue }
      #expect(ResultCode(rawValue: primary | detail << 8).name == match.1)
      known += 1
    }
    #expect(known > 60)
  }
}
