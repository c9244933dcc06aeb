import HistoryModel
import Testing

@testable import StoreBoundary

@Suite("Migration plan")
struct MigrationPlanTests {
  @Test("versions are put in order, and numbers may be left out")
  func order() throws {
    let plan = try MigrationPlan([.sql(30, "SELECT 3"), .sql(1, "SELECT 1"), .sql(2, "SELECT 2")])
    #expect(plan.versions.map(\.number) == [1, 2, 30])
    #expect(plan.latest == 30)
    #expect(plan[2]?.title == "0002 step")
    #expect(plan[3] == nil)
    #expect(try MigrationPlan([]).latest == 0)
  }

  @Test("two versions of one number are refused")
  func twice() {
    let error = #expect(throws: HistoryError.self) {
      try MigrationPlan([.sql(1, "SELECT 1"), .sql(2, "SELECT 1"), .sql(2, "SELECT 2")])
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("number 2") == true)
  }

  @Test(
    "a number that PRAGMA user_version cannot keep is refused",
    arguments: [Int.min, -1, 0, Int(Int32.max) + 1, Int.max])
  func range(number: Int) {
    let error = #expect(throws: HistoryError.self) { try MigrationPlan([.sql(number, "SELECT 1")]) }
    #expect(error?.code == .usage)
  }

  @Test("the greatest number is taken", arguments: [1, Int(Int32.max)])
  func greatest(number: Int) throws {
    #expect(try MigrationPlan([.sql(number, "SELECT 1")]).latest == number)
  }

  @Test(
    "a statement that ends the transaction or reaches out of it is refused, with its line",
    arguments: [
      ("COMMIT", "COMMIT", 1), ("commit;", "COMMIT", 1), ("\n\n  End Transaction;", "END", 3),
      ("SELECT 1;\r\nROLLBACK;", "ROLLBACK", 2), ("SELECT 1;;\n;BEGIN IMMEDIATE;", "BEGIN", 2),
      ("-- first\n/* second\nthird */ VACUUM", "VACUUM", 3),
      ("/* no end; COMMIT; */ ATTACH 'x' AS y", "ATTACH", 1),
      ("SELECT ';' AS \";\", [;], `;`;\nDETACH y;", "DETACH", 2),
      (
        """
        CREATE TRIGGER a AFTER INSERT ON t BEGIN
          UPDATE t SET x = CASE WHEN x THEN 1 END; DELETE FROM u;
        END;
        COMMIT;
        """, "COMMIT", 4
      ),
      ("CREATE TEMP TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; END;\nVACUUM;", "VACUUM", 2),
      ("SELECT 'it''s;';\n\nCOMMIT", "COMMIT", 3), ("\u{feff}COMMIT;", "COMMIT", 1),
      ("SELECT 1;\nROLLBACK TRANSACTION;", "ROLLBACK", 2),
    ])
  func forbidden(sql: String, keyword: String, line: Int) {
    let error = #expect(throws: HistoryError.self) {
      try MigrationPlan([.sql(1, "SELECT 1"), .sql(7, sql, name: "bad")])
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("0007 bad, line \(line): a stage may not \(keyword):") == true)
  }

  @Test(
    "what only looks like one is taken",
    arguments: [
      "", ";;\n", "-- COMMIT;", "/* COMMIT; */ SELECT 1", "SELECT 'COMMIT;'",
      "SAVEPOINT a; ROLLBACK TO a; ROLLBACK TRANSACTION TO SAVEPOINT a; RELEASE a",
      "CREATE TRIGGER a AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END",
      "CREATE TABLE \"COMMIT\"(\"END\"); SELECT \"END\" FROM \"COMMIT\"",
      "SELECT CASE 1 WHEN 1 THEN 2\nEND;", "INSERT OR ROLLBACK INTO t VALUES (1)",
    ])
  func allowed(sql: String) throws {
    #expect(try MigrationPlan([.sql(1, sql)]).latest == 1)
  }

  @Test("a NUL is refused, since SQLite would see nothing behind it")
  func nul() {
    let error = #expect(throws: HistoryError.self) {
      try MigrationPlan([.sql(1, "SELECT 1;\0COMMIT;")])
    }
    #expect(error?.code == .usage)
    #expect(error?.message.contains("NUL") == true)
  }

  @Test("a checksum is of the SQL and the code's name, and tells their border")
  func checksum() {
    let versions: [SchemaVersion] = [
      .sql(1, "ab"), .sql(1, "a"), SchemaVersion(1, "x", .custom("b", sql: "a")),
      SchemaVersion(1, "x", .custom("ab")), SchemaVersion(1, "x", .custom("", sql: "ab")),
    ]
    #expect(versions[0].checksum == SchemaVersion(9, "other", .lightweight("ab")).checksum)
    #expect(Set(versions.dropLast(2).map(\.checksum)).count == 3)
    #expect(versions[0].checksum != versions[4].checksum)
  }
}
