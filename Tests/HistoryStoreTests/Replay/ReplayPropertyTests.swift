import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Whatever an application does, its history replayed over the rows before gives the rows after.
@Suite("Replay")
struct ReplayPropertyTests {
  /// Tables and a connection's settings.
  struct Surroundings: Sendable, CustomTestStringConvertible {
    let name: String
    let schema: String
    let tables: [RandomProgram.Table]
    var settings = ""
    var testDescription: String { name }
  }

  private static let numbers = ["1", "2", "3", "4", "5", "6", "7"]
  private static let one = [
    RandomProgram.Table(
      name: "t", columns: ["id", "u", "p", "x"], targets: ["", "(id)", "(u)"],
      domains: ["id": numbers + ["NULL"]])
  ]
  /// Most rows refer to nothing, so that they can be inserted, and few are deleted at once.
  private static let referring = [
    RandomProgram.Table(
      name: "t", columns: ["id", "u", "p", "x"], targets: ["", "(id)", "(u)"],
      domains: ["id": numbers, "p": numbers + ["NULL", "NULL", "NULL", "NULL", "NULL"]])
  ]

  static let surroundings = [
    Surroundings(
      name: "INTEGER PRIMARY KEY, UNIQUE NOCASE, untyped",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, u TEXT COLLATE NOCASE UNIQUE, p, x REAL)",
      tables: one),
    Surroundings(
      name: "the same with recursive triggers, and everything turned round",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, u TEXT COLLATE NOCASE UNIQUE, p UNIQUE, x)",
      tables: one,
      settings: "PRAGMA recursive_triggers = ON; PRAGMA reverse_unordered_selects = ON"),
    Surroundings(
      name: "WITHOUT ROWID, composite key in another order, conflict clauses in the schema",
      schema: """
        CREATE TABLE t(u TEXT NOT NULL DEFAULT 'a', x UNIQUE ON CONFLICT REPLACE, id INT NOT NULL
          ON CONFLICT REPLACE DEFAULT 2, p, PRIMARY KEY(id, u)) WITHOUT ROWID
        """,
      tables: [
        .init(name: "t", columns: ["id", "u", "p", "x"], targets: ["", "(id, u)", "(x)"])
      ]),
    Surroundings(
      name: "no key; partial, expression and generated uniqueness",
      schema: """
        CREATE TABLE t(id, u, p, x, g AS (x || p) VIRTUAL UNIQUE);
        CREATE UNIQUE INDEX i ON t(u) WHERE p > 2; CREATE UNIQUE INDEX j ON t(abs(id), x DESC)
        """,
      tables: [
        .init(name: "t", columns: ["id", "u", "p", "x"], targets: ["", "(g)", "(abs(id), x)"])
      ]
    ),
    Surroundings(
      name: "refers to itself",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE,
          p INT REFERENCES t(id) ON UPDATE CASCADE ON DELETE SET NULL, x)
        """, tables: referring, settings: "PRAGMA foreign_keys = ON"),
    Surroundings(
      name: "refers to itself, with recursive triggers",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE,
          p INT REFERENCES t(id) ON UPDATE CASCADE ON DELETE SET NULL, x)
        """, tables: referring,
      settings: "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON"),
    Surroundings(
      name: "refers to itself by TEXT, and deletes with it",
      schema: """
        CREATE TABLE t(id TEXT PRIMARY KEY NOT NULL, u UNIQUE,
          p TEXT REFERENCES t(id) ON UPDATE CASCADE ON DELETE CASCADE, x)
        """, tables: referring, settings: "PRAGMA foreign_keys = ON"),
    Surroundings(
      name: "parents and children, with triggers of the application",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, p, x);
        CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES t(id) ON UPDATE CASCADE ON DELETE SET NULL
          DEFERRABLE INITIALLY DEFERRED, x);
        CREATE TRIGGER a AFTER INSERT ON t BEGIN UPDATE t SET x = NEW.id WHERE id = NEW.id; END;
        CREATE TRIGGER b AFTER DELETE ON c BEGIN DELETE FROM t WHERE id = OLD.p AND x = 3; END;
        CREATE TRIGGER d BEFORE UPDATE ON t WHEN NEW.p = 5 BEGIN SELECT RAISE(IGNORE); END;
        """,
      tables: referring + [
        .init(
          name: "c", columns: ["id", "p", "x"], targets: ["", "(id)"], domains: ["p": numbers])
      ],
      settings: "PRAGMA foreign_keys = ON"),
    Surroundings(
      name: "wide",
      schema: "CREATE TABLE t(id INTEGER PRIMARY KEY, u UNIQUE, \(wide), p UNIQUE, x)",
      tables: one),
  ]

  private static var wide: String { (0..<20).map { "w\($0) DEFAULT \($0)" }.joined(separator: ",") }

  @Test("of a few hundred statements at random", arguments: surroundings, TestScale.seeds(4))
  func replay(surroundings: Surroundings, seed: UInt64) throws {
    let captures: [Capture] = [.changes, .full, .changes, .keys]
    try run(
      surroundings, seed: seed, captures[Int(seed % 4)], omitsTimes: seed % 2 == 0, transactions: 80
    )
  }

  private func run(
    _ surroundings: Surroundings, seed: UInt64, _ capture: Capture, omitsTimes: Bool,
    transactions: Int
  ) throws {
    let store = try TemporaryStore(sql: surroundings.schema)
    try store.track(capture: capture, omitsTimes: omitsTimes)
    let connection = try store.connection()
    try connection.execute(surroundings.settings)
    var program = RandomProgram(surroundings.tables, seed: seed)
    let names = surroundings.tables.map(\.name)
    let first = try RowImage(connection, tables: names, hasValues: capture != .keys)
    var image = first
    let tracked = try store.opened()
    let follower = try HistoryRecorder(tracked, after: tracked.state().head)
    var applied = 0
    for _ in 0..<transactions {
      let script = transaction(&program, on: connection)
      try follower.read(pagesOf: program.number(1...9))
      let changes = follower.transactions.flatMap(\.changes)
      do throws(RowImage.Failure) {
        for change in changes[applied...] { try image.apply(change) }
      } catch {
        Issue.record("\(error)\n\(script)\n\(changes[applied...])")
        return
      }
      let after = try RowImage(connection, tables: names, hasValues: capture != .keys)
      let differences = image.differences(from: after)
      guard differences.isEmpty else {
        Issue.record("replayed / real: \(differences)\n\(script)\n\(changes[applied...])")
        return
      }
      applied = changes.count
    }
    // Somebody who comes later sees the same changes in the same order.
    #expect(try store.recorded().lines == follower.lines)
    #expect(applied > 50)
    #expect(try tracked.check().allSatisfy { !$0.needsAttention })
  }

  /// Runs one transaction at random and returns what it was.
  private func transaction(_ program: inout RandomProgram, on connection: Connection) -> String {
    var script: [String] = []
    func attempt(_ sql: String) {
      do {
        try connection.execute(sql)
        script.append(sql)
      } catch {
        script.append("\(sql) -- \(error.message)")
      }
    }
    if program.happens(15) {
      attempt(program.statement())
    } else {
      attempt("BEGIN IMMEDIATE")
      let isTagged = program.happens(40)
      if isTagged { attempt("INSERT INTO history_author(name) VALUES ('app')") }
      for _ in 0..<program.number(1...7) { attempt(program.statement()) }
      let isWhole = connection.isInTransaction
      if isTagged && isWhole { attempt("DELETE FROM history_author") }
      if isWhole { attempt(program.happens(85) ? "COMMIT" : "ROLLBACK") }
    }
    if connection.isInTransaction { attempt("ROLLBACK") }
    return script.joined(separator: ";\n")
  }
}
