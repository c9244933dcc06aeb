import HistoryModel
import HistoryStore
import HistorySync
import HistoryTestSupport
import SQLite
import Testing

@Suite("History applier")
struct HistoryApplierTests {
  private static let table = "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)"

  @Test("a store that follows another has its rows, and its history under the same authors")
  func follows() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 0.1), (2, x'00ff', NULL)")
    try await pair.write(
      0, "UPDATE t SET b = 5 WHERE id = 1; DELETE FROM t WHERE id = 2", author: "w")
    try pair.writeUntagged(0, "INSERT INTO t VALUES (3, 9223372036854775807, -0.0)")
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0))
    #expect(try pair.lines(1) == pair.lines(0))
    let first = try #require(try pair.history(1).first)
    #expect(first.origin == (try pair.stores[0].opened().state().storeIdentifier))
    #expect(first.originSequence == (try pair.history(0).first?.token.sequence))
  }

  @Test("what comes again is passed over")
  func again() async throws {
    let pair = try SyncPair(Self.table)
    try await pair.write(0, "INSERT INTO t VALUES (1, 1, 1)")
    try await pair.write(0, "UPDATE t SET a = a + 1")
    try pair.follow(1, from: 0)
    let outcomes = try pair.follow(1, from: 0)
    #expect(outcomes == [.known, .known])
    #expect(try pair.history(1).count == 2)
  }

  @Test("triggers and foreign key actions of the application do not act a second time")
  func effects() async throws {
    let pair = try SyncPair(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE log(id INTEGER PRIMARY KEY, of);
      CREATE TRIGGER app AFTER INSERT ON t BEGIN INSERT INTO log(of) VALUES (NEW.id); END;
      CREATE TABLE child(id INTEGER PRIMARY KEY, t REFERENCES t ON DELETE CASCADE);
      """)
    try pair.writeUntagged(
      0,
      """
      PRAGMA foreign_keys = ON;
      INSERT INTO t VALUES (1, 'x'), (2, 'y'); INSERT INTO child VALUES (1, 1), (2, 2);
      DELETE FROM t WHERE id = 1
      """)
    try pair.follow(1, from: 0)
    for table in ["t", "log", "child"] { #expect(try pair.rows(1, table) == pair.rows(0, table)) }
    #expect(try pair.lines(1) == pair.lines(0))
    let schema = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB '*history*'"
    let schemas = try pair.stores.map { try $0.connection().rows(schema) }
    #expect(schemas[0] == schemas[1])
    #expect(try pair.stores[1].opened().check().filter(\.needsAttention) == [])
  }

  @Test("stores that follow each other do not echo")
  func echo() async throws {
    let pair = try SyncPair(Self.table)
    for step in 0..<3 {
      try await pair.write(0, "INSERT INTO t VALUES (\(10 + step), 'a', 0)")
      try pair.follow(1, from: 0)
      try await pair.write(1, "INSERT INTO t VALUES (\(20 + step), 'b', 0); UPDATE t SET b = b + 1")
      try pair.follow(0, from: 1)
    }
    try pair.follow(1, from: 0)
    #expect(try pair.rows(0) == pair.rows(1))
    #expect(try pair.history(0).count == 6)
    #expect(try pair.history(1).count == 6)
  }

  @Test("what comes by two roads is applied once")
  func roads() async throws {
    let pair = try SyncPair(Self.table, count: 3)
    for step in 0..<4 {
      try await pair.write(0, "INSERT INTO t VALUES (\(step), 'a', 0); UPDATE t SET b = b + 1")
      try pair.follow(1, from: 0)
      if step.isMultiple(of: 2) {
        try pair.follow(2, from: 1)
        try pair.follow(2, from: 0)
      } else {
        try pair.follow(2, from: 0)
        try pair.follow(2, from: 1)
      }
    }
    #expect(try pair.rows(2) == pair.rows(0))
    #expect(try pair.history(2).count == 4)
    let maker = try pair.stores[0].opened().state().storeIdentifier
    #expect(try pair.history(2).allSatisfy { $0.origin == maker })
  }

  @Test("values and keys that are swapped inside a transaction arrive")
  func swaps() async throws {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a UNIQUE, b)")
    try await pair.write(0, "INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2), (3, 'z', 3)")
    try pair.follow(1, from: 0)
    try await pair.write(
      0,
      """
      UPDATE t SET a = NULL WHERE id = 1; UPDATE t SET a = 'x' WHERE id = 2;
      UPDATE t SET a = 'y' WHERE id = 1;
      UPDATE t SET id = -1 WHERE id = 1; UPDATE t SET id = 1 WHERE id = 3;
      UPDATE t SET id = 3 WHERE id = -1; INSERT OR REPLACE INTO t VALUES (9, 'z', 4)
      """)
    try pair.follow(1, from: 0)
    #expect(try pair.rows(1) == pair.rows(0))
  }

  @Test("who is refused, or only asks, leaves nothing in the store")
  func untouched() async throws {
    let pair = try SyncPair(Self.table)
    let schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY name"
    let before = try pair.stores[0].connection().rows(schema)
    try await pair.write(0, "INSERT INTO t VALUES (1, 1, 1)")
    let identity = try pair.stores[0].opened().state().storeIdentifier
    let applier = try HistoryApplier(path: pair.stores[0].path)
    #expect(try applier.position(of: identity) == nil)
    #expect(try applier.conflictLines() == [])
    let own = #expect(throws: HistoryError.self) {
      for transaction in try pair.history(0) { try applier.apply(transaction) }
    }
    #expect(own?.code == .foreignToken)
    let lines = StreamApplier(try HistoryApplier(path: pair.stores[0].path))
    #expect(throws: HistoryError.self) { try lines.take(Array("no line".utf8)[...]) }
    #expect(try pair.stores[0].connection().rows(schema) == before)
    // A first attempt that fails leaves none either, and the next one makes them.
    func writeUncaptured(_ store: Int) throws {
      let connection = try pair.stores[store].connection()
      connection.setTriggersEnabled(false)
      try connection.execute("INSERT INTO t VALUES (5, 0, 0)")
    }
    try writeUncaptured(1)
    try await pair.write(1, "UPDATE t SET a = 1 WHERE id = 5")
    let missing = #expect(throws: HistoryError.self) {
      for transaction in try pair.history(1) { try applier.apply(transaction) }
    }
    #expect(missing?.code == .tablesDiffer)
    #expect(try pair.stores[0].connection().rows(schema) == before)
    try writeUncaptured(0)
    for transaction in try pair.history(1) { try applier.apply(transaction) }
    #expect(try pair.rows(0).last == [5, 1, 0])
    #expect(try applier.position(of: pair.stores[1].opened().state().storeIdentifier) != nil)
    #expect(try pair.stores[0].opened().check().filter(\.needsAttention) == [])
  }

  @Test("what is applied after a failed attempt is in the history like everything else")
  func failedAttempt() async throws {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE n(body)")
    // A row without a key that is at the same place here: the first attempt collides with it.
    try await pair.write(0, "INSERT INTO t VALUES (1, 'one'); INSERT INTO n VALUES ('theirs')")
    try await pair.write(0, "UPDATE t SET a = 'two'")
    try await pair.write(1, "INSERT INTO n VALUES ('ours')")
    try pair.follow(1, from: 0, .source)
    #expect(try pair.rows(1, "n") == [["theirs"]])
    let lines = try pair.lines(1)
    #expect(lines.contains("app: insert t[1] id=1 a='one'"))
    #expect(lines.last == "app: update t[1] a='one'>'two'")
  }

  @Test("an applier whose very first attempt failed leaves nothing out of the history afterwards")
  func failedFirst() async throws {
    let pair = try SyncPair("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b UNIQUE)")
    try await pair.write(1, "INSERT INTO t VALUES (3, 'own', 77)")
    try await pair.write(0, "INSERT INTO t VALUES (2, 'theirs', 77)")
    try await pair.write(0, "INSERT INTO t VALUES (5, 'later', 5)")
    try pair.follow(1, from: 0, .source)
    #expect(try pair.rows(1) == pair.rows(0))
    let lines = try pair.lines(1)
    for part in ["delete t[3]", "insert t[2]", "insert t[5]"] {
      #expect(lines.contains { $0.contains(part) }, "\(lines)")
    }
  }
}
