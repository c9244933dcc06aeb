import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("References between rows in sync")
struct ReferenceTests {
  private static let simple =
    "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p)"
  private static let byCode = """
    CREATE TABLE p(id INTEGER PRIMARY KEY, code UNIQUE, n);
    CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p(code), n)
    """
  private static let byName = """
    CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT COLLATE NOCASE UNIQUE);
    CREATE TABLE c(id INTEGER PRIMARY KEY, p TEXT REFERENCES p(code))
    """
  private static let byExactName = """
    CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE);
    CREATE TABLE c(id INTEGER PRIMARY KEY, p TEXT COLLATE NOCASE REFERENCES p(code))
    """
  private static let byKey = """
    CREATE TABLE p(id INTEGER PRIMARY KEY, code UNIQUE);
    CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p, n)
    """
  private static let composite = """
    CREATE TABLE p(id INTEGER PRIMARY KEY, x, y, n, UNIQUE(x, y));
    CREATE TABLE c(id INTEGER PRIMARY KEY, x, y, n, FOREIGN KEY(x, y) REFERENCES p(x, y))
    """
  private static let compositeKey = """
    CREATE TABLE p(x, y, n, PRIMARY KEY(x, y)) WITHOUT ROWID;
    CREATE TABLE c(x, y, n, FOREIGN KEY(x, y) REFERENCES p)
    """

  /// What both have, what the source does then, and what the target had done before.
  struct Case: CustomTestStringConvertible {
    var schema: String
    var both: String
    var change: String
    var own: String?
    var testDescription: String { "\(own.map { $0 + " | " } ?? "")\(change)" }

    init(_ schema: String, _ both: String, _ change: String, own: String? = nil) {
      (self.schema, self.both, self.change, self.own) = (schema, both, change, own)
    }
  }

  private func pair(_ place: Case, _ capture: Capture = .changes) async throws -> SyncPair {
    let pair = try SyncPair(place.schema, capture: capture)
    try await pair.write(0, place.both)
    try pair.follow(1, from: 0)
    if let own = place.own { try await pair.write(1, own) }
    return pair
  }

  private func rows(_ pair: SyncPair) throws -> [[[StoredValue]]] {
    try ["p", "c"].map { try pair.rows(1, $0) }
  }

  private func expectRefused(_ pair: SyncPair, _ body: () throws -> Void) throws {
    let before = try rows(pair)
    let error = #expect(throws: HistoryError.self) { try body() }
    #expect(error?.code == .tablesDiffer)
    #expect(try rows(pair) == before)
    #expect(try pair.stores[1].connection().rows("PRAGMA foreign_key_check") == [])
  }

  private static let two =
    "INSERT INTO p VALUES (1, 1, 2, 0), (2, 1, 4, 0);"
    + "INSERT INTO c VALUES (1, 1, 2, 0), (2, 1, 4, 0)"
  private static let keyed =
    "INSERT INTO p VALUES (1, 2, 0), (1, 4, 0);"
    + "INSERT INTO c VALUES (1, 2, 0), (1, 4, 0)"

  @Test(
    "one that would be left without its row is refused, and nothing is applied",
    arguments: [
      Case(simple, "INSERT INTO p VALUES (7)", "INSERT INTO c VALUES (1, 8)"),
      Case(simple, "INSERT INTO c VALUES (1, 7); INSERT INTO p VALUES (7)", "DELETE FROM p"),
      Case(simple, "INSERT INTO p VALUES (7); INSERT INTO c VALUES (1, 7)", "UPDATE p SET id = 8"),
      Case(simple, "INSERT INTO p VALUES (7); INSERT INTO c VALUES (1, 7)", "UPDATE c SET p = 8"),
      Case(simple, "INSERT INTO p VALUES (7)", "DELETE FROM p", own: "INSERT INTO c VALUES (1, 7)"),
      Case(
        byCode, "INSERT INTO p VALUES (1, 'x', 0); INSERT INTO c VALUES (1, 'x', 0)",
        "UPDATE p SET code = 'y'"),
      Case(composite, two, "UPDATE c SET y = 3 WHERE id = 1"),
      Case(composite, two, "UPDATE c SET y = 3 WHERE id = 1; UPDATE c SET id = 9 WHERE id = 1"),
      Case(composite, two, "UPDATE c SET id = 9 WHERE id = 1; UPDATE c SET x = 3 WHERE id = 9"),
      Case(composite, two, "UPDATE p SET y = 3 WHERE id = 1"),
      Case(composite, two, "UPDATE p SET id = 9 WHERE id = 1; UPDATE p SET y = 3 WHERE id = 9"),
      Case(composite, two, "UPDATE p SET x = 3 WHERE id = 1; UPDATE p SET y = 3 WHERE id = 1"),
      Case(composite, two, "DELETE FROM p WHERE id = 2"),
      // A swap that goes through rows taken out meanwhile, and one value that does not come back.
      Case(
        composite, two,
        "UPDATE p SET y = 0 WHERE id = 1; UPDATE p SET y = 2 WHERE id = 2; "
          + "UPDATE p SET y = 5 WHERE id = 1"),
      Case(compositeKey, keyed, "UPDATE c SET y = 3 WHERE y = 2"),
      Case(compositeKey, keyed, "UPDATE p SET y = 3 WHERE y = 2"),
      Case(compositeKey, keyed, "DELETE FROM p WHERE y = 4"),
      // The parent's collation decides.
      Case(byName, "INSERT INTO p VALUES (1, 'A'); INSERT INTO c VALUES (1, 'a')", "DELETE FROM p"),
      Case(
        byName, "INSERT INTO p VALUES (1, 'A'); INSERT INTO c VALUES (1, 'a')",
        "UPDATE p SET code = 'b'"),
      Case(byExactName, "INSERT INTO p VALUES (1, 'A')", "INSERT INTO c VALUES (1, 'a')"),
    ], [Capture.changes, .full])
  func refused(place: Case, capture: Capture) async throws {
    let pair = try await pair(place, capture)
    try await pair.write(0, place.change)
    try expectRefused(pair) { try pair.follow(1, from: 0) }
  }

  @Test(
    "what ends valid is applied",
    arguments: [
      Case(composite, two, "UPDATE c SET y = NULL WHERE id = 1; DELETE FROM p WHERE id = 1"),
      Case(composite, two, "UPDATE c SET y = 4 WHERE id = 1; UPDATE p SET y = 5 WHERE id = 1"),
      Case(composite, two, "UPDATE p SET n = 1; UPDATE c SET n = 1"),
      Case(composite, two, "UPDATE p SET y = 3 WHERE id = 1; UPDATE c SET y = 3 WHERE id = 1"),
      Case(
        composite, two,
        "UPDATE p SET y = 0 WHERE id = 1; UPDATE p SET y = 2 WHERE id = 2; "
          + "UPDATE p SET y = 4 WHERE id = 1"),
      Case(composite, two, "DELETE FROM p; DELETE FROM c; INSERT INTO c(id, x) VALUES (7, 1)"),
      Case(compositeKey, keyed, "UPDATE p SET y = 3 WHERE y = 2; UPDATE c SET y = 3 WHERE y = 2"),
      Case(
        byName, "INSERT INTO p VALUES (1, 'A'); INSERT INTO c VALUES (1, 'a')",
        "UPDATE p SET code = 'a'"),
    ], [Capture.changes, .full])
  func valid(place: Case, capture: Capture) async throws {
    let pair = try await pair(place, capture)
    try await pair.write(0, place.change)
    try pair.follow(1, from: 0)
    for table in ["p", "c"] { #expect(try pair.rows(1, table) == pair.rows(0, table)) }
  }

  @Test("a row with an old mistake elsewhere in its table can still be changed")
  func oldMistake() async throws {
    let pair = try await pair(Case(Self.composite, Self.two, ""))
    try pair.writeUntagged(1, "INSERT INTO c VALUES (50, 8, 8, 0)")
    try await pair.write(0, "UPDATE c SET y = 2 WHERE id = 2; UPDATE p SET y = 9 WHERE id = 2")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1, "c").dropLast() == pair.rows(0, "c")[...])
  }

  @Test("a row that never referred to the one that goes, by the parent's collation, is no reason")
  func otherSpelling() async throws {
    let pair = try await pair(Case(Self.byExactName, "INSERT INTO p VALUES (1, 'A')", ""))
    try pair.writeUntagged(1, "INSERT INTO c VALUES (9, 'a')")
    try await pair.write(0, "DELETE FROM p")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1, "p") == [])
  }

  @Test(
    "so is one to a row that gives way to the source's, or that becomes the source's again",
    arguments: [
      // Displaced.
      Case(
        byKey, "", "INSERT INTO p VALUES (8, 'x')",
        own: "INSERT INTO p VALUES (7, 'x'); INSERT INTO c VALUES (1, 7, 0)"),
      // Replaced at the same key.
      Case(
        byCode, "", "INSERT INTO p VALUES (7, 'y', 0)",
        own: "INSERT INTO p VALUES (7, 'x', 0); INSERT INTO c VALUES (1, 'x', 0)"),
      // Put back to what both had.
      Case(
        byCode, "INSERT INTO p VALUES (1, 'x', 0)", "UPDATE p SET n = 1",
        own: "UPDATE p SET code = 'own'; INSERT INTO c VALUES (1, 'own', 0)"),
      // The referring row is put back, and what it referred to is gone.
      Case(
        byKey,
        "INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO c VALUES (1, 1, 0)",
        "UPDATE c SET n = 1", own: "UPDATE c SET p = 2; DELETE FROM p WHERE id = 1"),
      // And a whole row.
      Case(
        byKey,
        "INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO c VALUES (1, 1, 0)",
        "UPDATE c SET n = 1", own: "DELETE FROM c; DELETE FROM p WHERE id = 1"),
    ], [Capture.changes, .full])
  func givingWay(place: Case, capture: Capture) async throws {
    let pair = try await pair(place, capture)
    try await pair.write(0, place.change)
    try expectRefused(pair) { try pair.follow(1, from: 0, .source) }
  }

  @Test("also where the target captures keys only, which do not tell by what others refer")
  func keysOnly() async throws {
    let pair = try SyncPair(Self.byCode)
    try pair.stores[1].track(capture: .keys)
    try await pair.write(1, "INSERT INTO p VALUES (7, 'x', 0); INSERT INTO c VALUES (1, 'x', 0)")
    try await pair.write(0, "INSERT INTO p VALUES (7, 'y', 0)")
    try expectRefused(pair) { try pair.follow(1, from: 0, .source) }
  }

  @Test(
    "a snapshot is checked too, also in tables of which it has no row",
    arguments: [
      Case(
        simple, "INSERT INTO p VALUES (1)", "DELETE FROM p", own: "INSERT INTO c VALUES (100, 1)"),
      Case(
        byCode, "INSERT INTO p VALUES (1, 'x', 0)", "UPDATE p SET code = 'y'",
        own: "INSERT INTO c VALUES (100, 'x', 0)"),
      Case(
        byKey, "", "INSERT INTO p VALUES (8, 'x')",
        own: "INSERT INTO p VALUES (7, 'x'); INSERT INTO c VALUES (1, 7, 0)"),
    ])
  func snapshot(place: Case) async throws {
    let pair = try await pair(place)
    try await pair.write(0, place.change)
    try expectRefused(pair) { try pair.takeRows(1, from: 0) }
  }
}
