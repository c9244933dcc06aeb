import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@Suite("Facts: values and their comparison")
struct ValueFacts {
  let connection: Connection

  init() throws {
    connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE log(n INTEGER PRIMARY KEY, what)")
  }

  func log() throws -> [StoredValue] {
    try connection.rows("SELECT what FROM log ORDER BY n").map { $0[0] }
  }

  /// What a trigger makes of an UPDATE with an expression over OLD.c and NEW.c.
  func compared(_ type: String, _ old: StoredValue, _ new: StoredValue, by test: String) throws
    -> Bool
  {
    try connection.execute(
      """
      DROP TABLE IF EXISTS t; CREATE TABLE t(c \(type)); DELETE FROM log;
      CREATE TRIGGER g AFTER UPDATE ON t WHEN \(test) BEGIN INSERT INTO log(what) VALUES (1); END;
      """)
    try connection.run("INSERT INTO t VALUES (?1)", old)
    try connection.run("UPDATE t SET c = ?1", new)
    return try log() == [1]
  }

  static let right =
    "(OLD.c COLLATE BINARY) IS NOT NEW.c OR typeof(OLD.c) <> typeof(NEW.c)"

  @Test("fact 11: <> loses changes to and from NULL")
  func null() throws {
    #expect(try !compared("", nil, 1, by: "OLD.c <> NEW.c"))
    #expect(try !compared("", 1, nil, by: "OLD.c <> NEW.c"))
    #expect(try compared("", nil, 1, by: "OLD.c IS NOT NEW.c"))
    #expect(try compared("", 1, nil, by: Self.right))
  }

  @Test("fact 11: IS NOT compares by the column's collation and by number")
  func collation() throws {
    #expect(try !compared("TEXT COLLATE NOCASE", "a", "A", by: "OLD.c IS NOT NEW.c"))
    #expect(try compared("TEXT COLLATE NOCASE", "a", "A", by: Self.right))
    #expect(try !compared("", 1, 1.0, by: "OLD.c IS NOT NEW.c"))
    #expect(try compared("", 1, 1.0, by: Self.right))
    #expect(try !compared("", 1, 1, by: Self.right))
    #expect(try !compared("TEXT COLLATE NOCASE", "a", "a", by: Self.right))
  }

  @Test("fact 11: -0.0 survives in an untyped column, not in a numeric one")
  func negativeZero() throws {
    for (type, result) in [("", -0.0), ("BLOB", -0.0), ("REAL", 0.0)] {
      try connection.execute("DROP TABLE IF EXISTS t; CREATE TABLE t(c \(type))")
      try connection.run("INSERT INTO t VALUES (?1)", .real(-0.0))
      #expect(try connection.row("SELECT c FROM t") == [.real(result)])
    }
  }

  @Test("fact 12: a BLOB in JSON makes the application's own write fail")
  func jsonBlob() throws {
    try connection.execute(
      """
      CREATE TABLE t(x);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN
        INSERT INTO log(what) VALUES (json_object('x', NEW.x)); END;
      """)
    let error = #expect(throws: SQLiteError.self) {
      try connection.run("INSERT INTO t VALUES (x'00')")
    }
    #expect(error?.message == "JSON cannot hold BLOB values")
  }

  @Test(
    "fact 12: JSON loses digits of REAL", .enabled(if: SQLiteLibrary.versionNumber <= 3_053_001))
  func jsonDigits() throws {
    #expect(try connection.row("SELECT json_array(0.1 + 0.2)") == ["[0.3]"])
  }

  @Test(
    "fact 12: infinity is not valid JSON", .enabled(if: SQLiteLibrary.versionNumber < 3_042_000))
  func jsonInfinity() throws {
    let row = try connection.row(
      "SELECT json_array(?1), json_valid(json_array(?1))", .real(.infinity))
    #expect(row == ["[Inf]", 0])
  }

  @Test(
    "fact 12: an object of more than 63 columns has too many arguments",
    .enabled(if: SQLiteLibrary.versionNumber < 3_048_000))
  func jsonColumns() throws {
    func object(_ count: Int) -> String {
      "SELECT json_object(\((1...count).map { "'c\($0)', \($0)" }.joined(separator: ", ")))"
    }
    _ = try connection.row(object(63))
    let error = #expect(throws: SQLiteError.self) { try connection.row(object(64)) }
    #expect(error?.message == "too many arguments on function json_object")
  }

  @Test(
    "fact 12: an untrusted schema may not call json_object()",
    .enabled(if: SQLiteLibrary.versionNumber <= 3_040_001))
  func jsonUntrusted() throws {
    try connection.execute(
      """
      PRAGMA trusted_schema = OFF; CREATE TABLE t(x);
      CREATE TRIGGER g AFTER INSERT ON t BEGIN
        INSERT INTO log(what) VALUES (json_object('x', NEW.x)); END;
      """)
    let error = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO t VALUES (1)") }
    #expect(error?.message == "unsafe use of json_object()")
  }

  @Test("fact 12: quote() cuts text at NUL")
  func quote() throws {
    #expect(try connection.row("SELECT quote('a' || char(0) || 'b')") == ["'a'"])
  }

  @Test("fact 37: column text is longer than up to its first NUL")
  func textWithNUL() throws {
    #expect(try connection.row("SELECT 'a' || char(0) || 'b'") == ["a\0b"])
  }

  @Test("fact 37: a failed open hands back a handle to close")
  func failedOpen() throws {
    let directory = try TemporaryDirectory()
    #expect(LibraryProbe.failedOpenHandsBackHandle(path: directory.file("missing")))
  }

  @Test("fact 51 corrected: a VIRTUAL column of REAL over an integer is copied as an integer")
  func virtualReal() throws {
    try connection.execute(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, i, g REAL AS (i) VIRTUAL, s REAL AS (i) STORED);
      CREATE TRIGGER a AFTER INSERT ON t BEGIN
        INSERT INTO log(what) VALUES (NEW.g);
        INSERT INTO log(what) SELECT g FROM t;
        INSERT INTO log(what) SELECT iif(typeof(g) = 'real', CAST(g AS REAL), g) FROM t;
        INSERT INTO log(what) SELECT s FROM t;
      END;
      INSERT INTO t(i) VALUES (3);
      """)
    #expect(try connection.row("SELECT g, typeof(g) FROM t") == [3.0, "real"])
    #expect(try log() == [3.0, 3, 3.0, 3.0])
    #expect(try connection.row("SELECT g FROM t UNION ALL SELECT 0 ORDER BY 1 DESC") == [3])
  }

  @Test("fact 51: 0.0 and -0.0 are the same to comparison, typeof and every kind of text")
  func zeros() throws {
    let row = try connection.row(
      """
      SELECT ?1 IS ?2, typeof(?1) = typeof(?2), quote(?1) = quote(?2), hex(?1) = hex(?2),
        printf('%!.17g', ?1) = printf('%!.17g', ?2), CAST(?1 AS BLOB) = CAST(?2 AS BLOB),
        sign(?1) = sign(?2), json_array(?1) = json_array(?2)
      """, 0.0, .real(-0.0))
    #expect(row == [1, 1, 1, 1, 1, 1, 1, 1])
  }

  @Test(
    "fact 51 corrected: atan2() tells them apart",
    .enabled(if: SQLiteLibrary.compileOptionUsed("ENABLE_MATH_FUNCTIONS")))
  func zerosByAngle() throws {
    #expect(
      try connection.row("SELECT atan2(?1, -1.0) < 0, atan2(?2, -1.0) < 0", .real(-0.0), 0.0)
        == [1, 0])
  }

  @Test("fact 52: UTF-16 databases give UTF-8, and turn U+FFFF that came as UTF-8 into U+FFFD")
  func utf16() throws {
    try connection.execute("CREATE TABLE t(x)")
    let wide = try Connection.inMemory()
    try wide.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(x)")
    for connection in [connection, wide] {
      try connection.run("INSERT INTO t VALUES (?1)", "a\u{FFFF}ö\0👩")
    }
    #expect(try connection.row("SELECT x FROM t") == ["a\u{FFFF}ö\0👩"])
    #expect(try wide.row("SELECT x FROM t") == ["a\u{FFFD}ö\0👩"])
    #expect(try wide.row("SELECT CAST(x'FFFF' AS TEXT)") == ["\u{FFFF}"])
  }

  @Test("fact 52: lone surrogates exist, and come out as text that is not valid UTF-8")
  func loneSurrogate() throws {
    let surrogate: [UInt8] = [0x61, 0xED, 0xA0, 0x80]
    try connection.execute("CREATE TABLE t(x)")
    try connection.run("INSERT INTO t VALUES (?1)", .malformedText(surrogate))
    #expect(try connection.row("SELECT x, length(x) FROM t") == [.malformedText(surrogate), 2])
    let wide = try Connection.inMemory()
    try wide.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(x)")
    try wide.run("INSERT INTO t VALUES (CAST(x'610000D8' AS TEXT))")
    #expect(try wide.row("SELECT x FROM t") == [.malformedText(surrogate)])
  }

  @Test("fact 52 sharpened: in UTF-16 a lone surrogate swallows what follows, when read as UTF-8")
  func swallowingSurrogate() throws {
    let wide = try Connection.inMemory()
    try wide.execute("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(x)")
    try wide.run("INSERT INTO t VALUES (CAST(x'00D86200' AS TEXT)), (CAST(x'00D862DC' AS TEXT))")
    #expect(try wide.rows("SELECT x FROM t") == [["\u{10062}"], ["\u{10062}"]])
    #expect(try wide.row("SELECT count(DISTINCT CAST(x AS BLOB)) FROM t") == [2])
  }

  @Test(
    "fact 53: typed columns need no typeof",
    arguments: ["INTEGER", "REAL", "TEXT", "NUMERIC", "INT", "VARCHAR(10)"])
  func typedColumns(type: String) throws {
    let zoo: [StoredValue] = [
      0, 1, 1.0, 1.5, "1", "1.0", "1.5", "a", "A", "", .blob([]), .blob([0x31]), nil,
      .integer(.max), .real(0x1p63), .integer(1 << 53), .real(0x1p53),
      .integer(-(1 << 62)), .real(-0x1p62), .real(.infinity),
    ]
    try connection.execute("CREATE TABLE z(c \(type))")
    for value in zoo { try connection.run("INSERT INTO z VALUES (?1)", value) }
    #expect(
      try connection.row(
        """
        SELECT count(*) FROM z AS a, z AS b
        WHERE a.c IS b.c AND typeof(a.c) <> typeof(b.c)
        """) == [0])
  }

  @Test("fact 53 corrected: one number exists twice in INTEGER and NUMERIC columns")
  func smallestInteger() throws {
    try connection.execute("CREATE TABLE z(c INTEGER)")
    try connection.run("INSERT INTO z VALUES (?1), (?2)", .integer(.min), .real(-0x1p63))
    #expect(try connection.rows("SELECT typeof(c) FROM z") == [["integer"], ["real"]])
    #expect(try connection.row("SELECT count(DISTINCT c) FROM z") == [1])
  }
}
