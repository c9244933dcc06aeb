import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import StoreBoundary

@Suite("Findings of the integrity check")
struct IntegrityFindingsTests {
  private func lines(_ texts: [String], names: Set<String> = []) -> [String] {
    IntegrityFindings(texts, names: names).findings.map { finding, count in
      "\(count) x \(finding.kind)\(finding.name.map { ": \($0)" } ?? "")"
    }
  }

  @Test("nothing was found where all is well")
  func ok() { #expect(lines(["ok"]).isEmpty) }

  @Test("what SQLite says of an index is kept with the index's name, and counted")
  func index() {
    #expect(
      lines(
        [
          "row 3 missing from index by_name", "row 9 missing from index by_name",
          "wrong # of entries in index by_name",
        ], names: ["by_name"]) == [
          "2 x a row is missing from an index: by_name",
          "1 x an index has too many entries or too few: by_name",
        ])
  }

  @Test("a column is told by its table only, which may have dots in its name")
  func column() {
    #expect(
      lines(["NULL value in a.b.c", "CHECK constraint failed in a"], names: ["a", "a.b"]) == [
        "1 x a column that is NOT NULL has a NULL: a.b", "1 x a CHECK constraint does not hold: a",
      ])
  }

  @Test("a name that the schema does not have, and words that are not known, are dropped")
  func unknown() {
    #expect(
      lines(
        ["row 3 missing from index secret", "the value secret is odd", "NULL value in secret.x"],
        names: ["t"]) == [
          "1 x a row is missing from an index", "1 x the file is damaged",
          "1 x a column that is NOT NULL has a NULL",
        ])
  }

  @Test("what is said of pages is one kind, however many lines it has")
  func pages() {
    #expect(
      lines([
        "*** in database main ***\nTree 5 page 7: btreeInitPage() returns error code 11\n"
          + "Tree 5 page 8: free space corruption\nPage 9 is never used"
      ]) == [
        "2 x a page of a table or index is damaged", "1 x a page is never used",
      ])
  }

  @Test("an index that lacks rows is found in a real file")
  func real() throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, v); CREATE INDEX by_v ON t(v);
        INSERT INTO t(v) VALUES ('a'), ('b')
        """)
    let connection = try store.connection()
    // The rows are written while SQLite takes the index for one of no row.
    try connection.execute(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX by_v ON t(v) WHERE 0' WHERE name = 'by_v';
      PRAGMA schema_version = 900;
      """)
    try connection.close()
    let blind = try store.connection()
    try blind.execute(
      """
      INSERT INTO t(v) VALUES ('c');
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX by_v ON t(v)' WHERE name = 'by_v';
      PRAGMA schema_version = 901;
      """)
    try blind.close()
    let again = try store.connection(access: .readOnly)
    let texts = try again.rows("PRAGMA integrity_check").compactMap { $0[0].text }
    let found = IntegrityFindings(texts, again).findings.map(\.finding.kind)
    #expect(found.contains("a row is missing from an index"), "\(texts)")
  }
}
