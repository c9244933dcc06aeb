import HistoryModel
import Testing

@testable import HistoryStore

@Suite("Query text")
struct QueryTextTests {
  @Test(
    "columns are added to the order, before LIMIT and the end, and after nothing else",
    arguments: [
      ("SELECT a FROM t", "SELECT a FROM t ORDER BY #"),
      ("SELECT a FROM t;", "SELECT a FROM t ORDER BY #;"),
      ("SELECT a FROM t -- all\n;; -- done", "SELECT a FROM t ORDER BY # -- all\n;; -- done"),
      ("SELECT a FROM t ORDER BY a", "SELECT a FROM t ORDER BY a, #"),
      (
        "select a from t order /**/ by a desc limit 3 offset 1",
        "select a from t order /**/ by a desc, # limit 3 offset 1"
      ),
      ("SELECT a FROM t LIMIT 3", "SELECT a FROM t ORDER BY # LIMIT 3"),
      (
        "SELECT (SELECT b FROM u ORDER BY b LIMIT 1) FROM t",
        "SELECT (SELECT b FROM u ORDER BY b LIMIT 1) FROM t ORDER BY #"
      ),
      (
        "SELECT sum(a) OVER (ORDER BY b) FROM t WINDOW w AS (ORDER BY c)",
        "SELECT sum(a) OVER (ORDER BY b) FROM t WINDOW w AS (ORDER BY c) ORDER BY #"
      ),
      (
        "WITH x AS (SELECT 1 ORDER BY 1 LIMIT 1) SELECT * FROM x",
        "WITH x AS (SELECT 1 ORDER BY 1 LIMIT 1) SELECT * FROM x ORDER BY #"
      ),
      (
        "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 LIMIT 5",
        "SELECT a FROM t UNION SELECT b FROM u ORDER BY 1, # LIMIT 5"
      ),
      (
        "SELECT 'x ORDER BY y LIMIT 1', \"limit\" FROM t",
        "SELECT 'x ORDER BY y LIMIT 1', \"limit\" FROM t ORDER BY #"
      ),
      (
        "SELECT a FROM t WHERE b LIKE ')' GROUP BY a",
        "SELECT a FROM t WHERE b LIKE ')' GROUP BY a ORDER BY #"
      ),
    ])
  func ordered(sql: String, expected: String) {
    let terms = "1 COLLATE BINARY, 3 COLLATE BINARY"
    #expect(
      QueryText(sql).ordered(by: [0, 2])
        == expected.split(separator: "#", omittingEmptySubsequences: false).joined(separator: terms)
    )
    #expect(QueryText(sql).ordered(by: []) == sql)
  }

  @Test("a second statement is noticed, semicolons and comments are not")
  func further() {
    for sql in [
      "SELECT 1", ";SELECT 1;", "SELECT 1;; -- x\n", "SELECT 1 /* ; SELECT 2 */", "", ";",
    ] {
      #expect(!QueryText(sql).hasFurther, "\(sql)")
    }
    for sql in ["SELECT 1; SELECT 2", "SELECT 1;;x", "SELECT 1 -- x\n;\nDELETE FROM t"] {
      #expect(QueryText(sql).hasFurther, "\(sql)")
    }
  }

  @Test(
    "a condition that holds the key to one value is found",
    arguments: [
      ("SELECT * FROM t WHERE id = 5", 5), ("select a from main.t as x where x.id == 5;", 5),
      ("SELECT * FROM t WHERE a > 1 AND 5 = \"ID\" AND b IN (1, 2)", 5),
      ("SELECT * FROM t WHERE (a = 1 OR b = 2) AND id IS -5 ORDER BY a LIMIT 1", -5),
      ("SELECT count(*) FROM t WHERE rowid = 5 GROUP BY a HAVING count(*) > 1", 5),
      ("SELECT * FROM t WHERE id = :key", 7), ("SELECT * FROM t WHERE id = ?2", 8),
      ("SELECT * FROM t WHERE @key = [id]", 9), ("SELECT * FROM t WHERE id = $key", 10),
      ("SELECT a OR b, CASE a WHEN 1 THEN 2 END FROM t WHERE id = 5", 5),
    ] as [(String, Int64)])
  func key(sql: String, expected: Int64) {
    #expect(Self.key(sql) == expected)
  }

  @Test(
    "where it is not certain, no key is found",
    arguments: [
      "SELECT * FROM t", "SELECT * FROM t WHERE id = 5 OR a = 1",
      "SELECT * FROM t WHERE NOT id = 5",
      "SELECT * FROM t WHERE id <> 5", "SELECT * FROM t WHERE id != 5",
      "SELECT * FROM t WHERE id >= 5",
      "SELECT * FROM t WHERE id IS NOT 5", "SELECT * FROM t WHERE id = 5 + 1",
      "SELECT * FROM t WHERE id = 5.0", "SELECT * FROM t WHERE id = '5'",
      "SELECT * FROM t WHERE 'id' = 5",
      "SELECT * FROM t WHERE id = 0x5", "SELECT * FROM t WHERE id = 5 = 1",
      "SELECT * FROM t WHERE (id = 5)", "SELECT * FROM t WHERE id = :text",
      "SELECT * FROM t WHERE id = ?",
      "SELECT * FROM t WHERE id = a", "SELECT * FROM t WHERE a = 5",
      "SELECT * FROM t WHERE a BETWEEN 1 AND id = 5",
      "SELECT * FROM t WHERE CASE WHEN a AND id = 5 THEN 1 END",
      "SELECT * FROM t WHERE id = 5 UNION SELECT * FROM t", "SELECT * FROM t, u WHERE id = 5",
      "SELECT * FROM t JOIN u WHERE id = 5", "SELECT * FROM (SELECT * FROM t) WHERE id = 5",
      "SELECT (SELECT max(id) FROM t) FROM t WHERE id = 5",
      "SELECT * FROM t WHERE id = 5 AND a IN t",
      "WITH x AS (VALUES (1)) SELECT * FROM t WHERE id = 5",
      "SELECT a IS DISTINCT FROM b FROM t WHERE id = 5",
      "SELECT * FROM f(1) WHERE id = 5", "SELECT * FROM t INDEXED BY i WHERE id = 5", "VALUES (1)",
      "",
      "SELECT * FROM t WHERE id = 9223372036854775808",
      "SELECT * FROM t WHERE id = 5 COLLATE NOCASE",
    ])
  func noKey(sql: String) {
    #expect(Self.key(sql) == nil)
  }

  private static func key(_ sql: String) -> Int64? {
    let values: [String: StoredValue] = [":key": 7, "?2": 8, "@key": 9, "$key": 10, ":text": "7"]
    return QueryText(sql).key(called: ["id", "rowid", "oid"]) { values[$0] }
  }
}
