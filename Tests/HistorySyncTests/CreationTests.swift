import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("Tables that are made for what is followed")
struct CreationTests {
  /// Tables of every kind that can be tracked.
  static let schema = """
    CREATE TABLE plain(id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x', b REAL CHECK(b <> 7));
    CREATE TABLE numbered(id INTEGER PRIMARY KEY AUTOINCREMENT, p REFERENCES plain ON DELETE CASCADE);
    CREATE TABLE "odd ""name" ("a b" COLLATE NOCASE, c UNIQUE, d AS (c || '!') STORED,
      PRIMARY KEY("a b", c)) WITHOUT ROWID;
    CREATE TABLE keyless(a, b);
    CREATE TABLE exact(id INT PRIMARY KEY, a ANY) STRICT;
    CREATE INDEX of_plain ON plain(a);
    CREATE VIEW seen AS SELECT a FROM plain;
    """
  private static let filling = """
    INSERT INTO plain VALUES (1, 'a', 0.5), (2, 'b', NULL);
    INSERT INTO numbered(p) VALUES (1), (2), (1);
    INSERT INTO "odd ""name"("a b", c) VALUES ('A', 1), ('b', 2);
    INSERT INTO keyless VALUES (1, x'00ff'), (1, x'00ff');
    INSERT INTO exact VALUES (1, '1'), (2, 1), (3, 1.0);
    """

  /// A store of this schema, tracked and filled, and a database without any table.
  private func stores(
    _ journal: TemporaryStore.Journal = .wal
  ) throws -> (source: TemporaryStore, target: TemporaryStore) {
    let source = try TemporaryStore(sql: Self.schema)
    // These rows are in no history.
    try source.connection().execute(Self.filling)
    try source.track()
    return (source, try TemporaryStore(journal: journal))
  }

  /// Takes in the rows of a store, with its tables.
  private func take(_ source: TemporaryStore, _ applier: HistoryApplier) throws {
    let rows = try RowSnapshot(source.opened(), filter: ChangeFilter())
    try applier.beginSnapshot(at: rows.token, tables: rows.tables)
    while let shape = try rows.next() { try applier.takeRow(shape: shape, values: rows.values) }
    _ = try applier.finishSnapshot(resynchronizes: false)
  }

  private func take(
    _ definitions: [TableDefinition], into target: TemporaryStore
  ) throws -> HistoryError? {
    let source = try TemporaryStore(sql: "CREATE TABLE t(a)")
    try source.track()
    let token = try source.opened().state().head
    let applier = try HistoryApplier(path: target.path, creates: true)
    do {
      try applier.beginSnapshot(at: token, tables: definitions)
      return nil
    } catch { return error }
  }

  private func names(_ store: TemporaryStore) throws -> [String] {
    try store.connection().rows(
      "SELECT name FROM sqlite_schema WHERE name NOT LIKE '%history%' ORDER BY name"
    ).compactMap { $0[0].text }.filter { !$0.hasPrefix("sqlite_") }
  }

  @Test(
    "an empty database gets every table, its rows, and what comes then",
    arguments: TemporaryStore.Journal.allCases)
  func everything(journal: TemporaryStore.Journal) throws {
    let (source, target) = try stores(journal)
    let applier = try HistoryApplier(path: target.path, creates: true)
    try take(source, applier)
    let tables = ["plain", "numbered", "odd \"name", "keyless", "exact"]
    for table in tables {
      let sql = "SELECT sql FROM sqlite_schema WHERE name = ?"
      let made = try target.connection().row(sql, .text(table))
      #expect(try made == source.connection().row(sql, .text(table)))
      let rows = "SELECT * FROM \(Identifier.quoted(table)) ORDER BY 1, 2"
      #expect(try target.connection().rows(rows) == source.connection().rows(rows))
      #expect(try !target.connection().rows(rows).isEmpty)
    }
    try source.connection().execute(
      "UPDATE plain SET a = 'later'; DELETE FROM keyless WHERE rowid = 1; DELETE FROM numbered")
    let held = try #require(try applier.position(of: source.opened().state().storeIdentifier))
    let later = try source.opened().fetchHistory(HistoryDescriptor(after: .after(held)))
    for transaction in later.transactions { try applier.apply(transaction) }
    for table in tables {
      let rows = "SELECT * FROM \(Identifier.quoted(table)) ORDER BY 1, 2"
      #expect(try target.connection().rows(rows) == source.connection().rows(rows))
    }
    #expect(try target.opened().check().filter(\.needsAttention) == [])
  }

  @Test("tables that are here already must have the same columns, or nothing is made")
  func differing() throws {
    let target = try TemporaryStore(sql: "CREATE TABLE old(a PRIMARY KEY, b)")
    let fresh = TableDefinition(table: "fresh", sql: "CREATE TABLE fresh(a)")
    for (sql, words) in [
      ("CREATE TABLE old(a PRIMARY KEY, b, c)", "it lacks c"),
      ("CREATE TABLE old(a PRIMARY KEY)", "only it has b"),
      ("CREATE TABLE old(a, b PRIMARY KEY)", "its key differs"),
    ] {
      let error = try take([fresh, TableDefinition(table: "old", sql: sql)], into: target)
      #expect(error?.code == .tablesDiffer)
      #expect(error?.message.contains(words) == true)
      #expect(try names(target) == ["old"])
    }
    let same = TableDefinition(table: "OLD", sql: "CREATE TABLE OLD(A PRIMARY KEY, B TEXT)")
    #expect(try take([fresh, same], into: target) == nil)
    #expect(try names(target) == ["fresh", "old"])
  }

  @Test(
    "a definition that does anything but make its table is refused",
    arguments: [
      "CREATE TABLE t(a); DROP TABLE kept", "CREATE TABLE other(a)", "DROP TABLE kept",
      "CREATE TABLE t AS SELECT 1", "CREATE TEMP TABLE t(a)", "CREATE VIEW t AS SELECT 1",
      "CREATE TABLE IF NOT EXISTS t(a)", "CREATE VIRTUAL TABLE t USING fts5(a)", "VACUUM", "",
      "ATTACH ':memory:' AS t", "PRAGMA user_version = 1", "CREATE TABLE t(", "-- t",
      "INSERT INTO kept VALUES (1)", "CREATE TABLE main.t(a)", "CREATE TABLE t(a) \0",
    ])
  func refused(sql: String) throws {
    let target = try TemporaryStore(sql: "CREATE TABLE kept(a)")
    let error = try take([TableDefinition(table: "t", sql: sql)], into: target)
    #expect(error?.code == .tablesDiffer)
    #expect(error?.hint?.isEmpty == false)
    #expect(try names(target) == ["kept"])
  }

  @Test("names of the program and of SQLite are refused, and so is a view in the way")
  func names() throws {
    let target = try TemporaryStore(sql: "CREATE TABLE kept(a); CREATE VIEW t AS SELECT 1")
    for name in ["t", "_history_change", "_history_new", "sqlite_stat9"] {
      let sql = "CREATE TABLE \(name)(a)"
      #expect(
        try take([TableDefinition(table: name, sql: sql)], into: target)?.code == .tablesDiffer)
    }
    #expect(try names(target) == ["kept", "t"])
  }

  @Test("a store whose schema has an owner gets no table from elsewhere")
  func owned() throws {
    let target = try TemporaryStore(sql: "CREATE TABLE kept(a)")
    try BoundaryTable(target.connection()).create()
    let error = try take(
      [TableDefinition(table: "t", sql: "CREATE TABLE t(a)")], into: target)
    #expect(error?.code == .tablesDiffer)
    #expect(try names(target) == ["kept"])
    // What is there already may be followed into.
    let kept = TableDefinition(table: "kept", sql: "CREATE TABLE kept(a)")
    #expect(try take([kept], into: target) == nil)
  }

  @Test("without the wish to make tables nothing is made")
  func unasked() throws {
    let (source, target) = try stores()
    try target.connection().execute("CREATE TABLE kept(a)")
    try target.track()
    let applier = try HistoryApplier(path: target.path)
    let error = #expect(throws: HistoryError.self) { try take(source, applier) }
    #expect(error?.code == .tablesDiffer)
    #expect(try names(target) == ["kept"])
  }
}
