import HistoryModel
import SQLite
import Testing

@testable import HistoryStore

@Suite("SQL tokens")
struct SQLTokensTests {
  @Test(
    "a text is cut where SQLite cuts it",
    arguments: [
      ("", []), ("  \t\n", []), ("a", ["a"]), ("a+1", ["a", "+", "1"]),
      ("\"a b\"\"c\" x", ["\"a b\"\"c\"", "x"]), ("'it''s' ", ["'it''s'"]), ("`a``b`", ["`a``b`"]),
      ("[a b] c", ["[a b]", "c"]), ("x'00' X'ff' x 'a'", ["x'00'", "X'ff'", "x", "'a'"]),
      ("a -- b\nc", ["a", "c"]), ("a /* b */ c /**/ d", ["a", "c", "d"]),
      ("a - -b", ["a", "-", "-", "b"]), ("1.5e10 .5", ["1.5e10", ".", "5"]), ("é表", ["é表"]),
      ("'open", ["'open"]), ("$a_1", ["$a_1"]), ("/* * / */ a", ["a"]), ("--", []),
      ("e\u{301}\"q\"", ["e\u{301}", "\"q\""]), ("'a'\u{301}", ["'a'", "\u{301}"]),
    ] as [(String, [String])])
  func tokens(sql: String, expected: [String]) {
    #expect(SQLTokens(sql).map { String($0.text) } == expected)
  }

  @Test("keywords are unquoted words in any letter case")
  func keywords() {
    let isKeyword = { (sql: String) in SQLTokens(sql).first { _ in true }?.isKeyword("WHERE") }
    #expect(isKeyword("where") == true)
    #expect(isKeyword("WhErE") == true)
    #expect(isKeyword("\"WHERE\"") == false)
    #expect(isKeyword("WHEREVER") == false)
  }

  @Test(
    "an index's terms and condition are taken out of its text",
    arguments: [
      ("CREATE UNIQUE INDEX i ON t(a)", ["a"], nil),
      ("CREATE UNIQUE INDEX \"i(,\" ON \"t(\"(a, b DESC)", ["a", "b DESC"], nil),
      (
        "CREATE INDEX i ON t(lower(a), substr(b, 1, 2) COLLATE NOCASE) WHERE a > 0 AND c",
        ["lower(a)", "substr(b, 1, 2) COLLATE NOCASE"], " a > 0 AND c"
      ),
      ("CREATE INDEX i ON t(a || ')' , ',') where '(' = b", ["a || ')'", "','"], " '(' = b"),
      ("CREATE INDEX i ON t((a), ((b) + 1))", ["(a)", "((b) + 1)"], nil),
      ("CREATE INDEX i ON t(/* ,) */ a -- )\n, b)", ["a", "b"], nil),
      ("CREATE INDEX main.i ON t(a)WHERE(b)", ["a"], "(b)"),
      ("CREATE INDEX i ON \"where\"(\"WHERE\") WHERE c", ["\"WHERE\""], " c"),
    ] as [(String, [String], String?)])
  func indexes(sql: String, terms: [String], condition: String?) {
    let definition = IndexDefinition(sql: sql)
    #expect(definition.terms == terms)
    #expect(definition.condition == condition)
  }

  @Test(
    "a term's expression is without order and collation",
    arguments: [
      ("a", "a"), ("lower(a) DESC", "lower(a) "), ("a COLLATE NOCASE", "a "),
      ("a collate \"NOCASE\" asc", "a "), ("a COLLATE NOCASE || b", "a COLLATE NOCASE || b"),
      ("\"desc\"", "\"desc\""), ("a + (b COLLATE NOCASE)", "a + (b COLLATE NOCASE)"),
    ])
  func expressions(term: String, expected: String) {
    #expect(IndexDefinition.expression(of: term) == expected)
  }

  @Test(
    "a declared type has the affinity that SQLite gives it",
    arguments: [
      "INT", "INTEGER", "BIGINT", "CHARINT", "POINT", "FLOATING POINT", "VARCHAR(10)", "CLOB",
      "TEXT", "BLOB", "", "REAL", "DOUBLE PRECISION", "FLOAT", "NUMERIC", "DECIMAL(10,5)",
      "BOOLEAN", "DATE", "STRING", "ANY", "text", "xBLOBx", "TEXTBLOB", "BLOBREAL",
    ])
  func affinities(type: String) throws {
    // What SQLite does to '1', 1 and 1.5 tells every affinity from the others.
    let connection = try Connection.inMemory()
    try connection.execute("CREATE TABLE t(c \(type)); INSERT INTO t VALUES ('1'), (1), (1.0)")
    let classes = try connection.rows("SELECT typeof(c) FROM t").compactMap { $0[0].text }
    let expected: [String] =
      switch Affinity(declaredType: type, isStrict: false) {
      case .text: ["text", "text", "text"]
      case .real: ["real", "real", "real"]
      case .none: ["text", "integer", "real"]
      case .integer, .numeric: ["integer", "integer", "integer"]
      }
    #expect(classes == expected)
  }

  @Test("ANY of a STRICT table has none")
  func strictAny() {
    #expect(Affinity(declaredType: "any", isStrict: true) == .none)
    #expect(Affinity(declaredType: "TEXT", isStrict: true) == .text)
  }

  @Test(
    "a bare or double-quoted word as DEFAULT is a string; everything else is what it is",
    arguments: [
      ("5", "5"), ("-5", "(-5)"), ("'a'", "'a'"), ("x'00'", "x'00'"), ("NULL", "NULL"),
      ("TRUE", "TRUE"), ("(1 + 2)", "((1 + 2))"), ("CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP"),
      ("\"a\"", "'a'"), ("foo", "'foo'"), ("\"it's\"", "'it''s'"),
    ])
  func defaults(sql: String, expression: String) {
    #expect(SQLText.expression(ofDefault: sql) == expression)
  }

  @Test("many conditions are joined flat enough for SQLite")
  func balanced() throws {
    let terms = (0..<3000).map { "\($0) IS NOT NULL" }
    let connection = try Connection.inMemory()
    #expect(try connection.row("SELECT \(SQLText.all(terms))") == [1])
    #expect(try connection.row("SELECT NOT(\(SQLText.any(terms)))") == [0])
    #expect(SQLText.any(["a"]) == "a")
    #expect(SQLText.all(["a", "b", "c", "d"]) == "a AND b AND c AND d")
  }
}
