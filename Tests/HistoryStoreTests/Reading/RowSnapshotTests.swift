import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("Snapshot reader")
struct RowSnapshotTests {
  private func rows(
    _ store: TrackedStore, _ filter: ChangeFilter = ChangeFilter(),
    _ body: (Int) throws -> Void = { _ in }
  ) throws -> [String] {
    let reader = try RowSnapshot(store, filter: filter)
    var lines: [String] = []
    while let shape = try reader.next() {
      let change = RecordedChange(shape: shape, operation: .insert, after: 0, before: nil)
      lines.append(
        "\(ChangeRecord(change, in: reader.values, index: 0))".replacingPrefix("insert "))
      try body(lines.count)
    }
    return lines
  }

  @Test(
    "the rows of every tracked table, in key order, whatever is captured",
    arguments: Capture.allCases)
  func all(capture: Capture) throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE b(k TEXT, n INT, x REAL, PRIMARY KEY(n, k)) WITHOUT ROWID;
        CREATE TABLE a(x, g AS (x + 1));
        CREATE TABLE c(id INTEGER PRIMARY KEY);
        INSERT INTO b VALUES ('q', 1, 1), ('p', 1, 2), ('a', 0, 3);
        INSERT INTO a(rowid, x) VALUES (7, 1), (3, NULL);
        INSERT INTO c VALUES (1);
        """)
    try store.track("b", "a", capture: capture)
    #expect(
      try rows(store.opened()) == [
        "b[0,'a'] k='a' n=0 x=3.0", "b[1,'p'] k='p' n=1 x=2.0", "b[1,'q'] k='q' n=1 x=1.0",
        "a[3] x=NULL g=NULL", "a[7] x=1 g=2",
      ])
    #expect(try rows(store.opened(), ChangeFilter(tables: ["A"])).count == 2)
  }

  @Test("a column called rowid is not taken for the key")
  func columnCalledRowID() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(rowid TEXT, a); INSERT INTO t(_rowid_, rowid, a) VALUES (7, 'r', 1)")
    try store.track()
    #expect(try rows(store.opened()) == ["t[7] rowid='r' a=1"])
  }

  @Test("rows and token are of one moment, whatever is committed meanwhile")
  func oneMoment() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2), (3)")
    try store.track()
    let writer = try store.connection()
    try writer.execute("DELETE FROM t WHERE id = 3")
    let tracked = try store.opened()
    let reader = try RowSnapshot(tracked, filter: ChangeFilter())
    var ids: [Int64] = []
    while try reader.next() != nil {
      ids.append(reader.values.value(at: 0).integer ?? 0)
      try writer.run("INSERT INTO t VALUES (?)", .integer(Int64(ids.count) + 10))
    }
    #expect(ids == [1, 2])
    #expect(reader.token.sequence == 1)
    // What follows its token is exactly what the rows lack.
    #expect(
      try store.recorded(after: reader.token).lines == ["insert t[11] id=11", "insert t[12] id=12"])
  }

  @Test("it holds its read transaction no longer than its last row, or its end")
  func released() throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)")
    try store.track()
    let tracked = try store.opened()
    let isFree = { try store.connection().row("PRAGMA wal_checkpoint(TRUNCATE)")?.first == 0 }
    let writer = try store.connection()
    let reader = try RowSnapshot(tracked, filter: ChangeFilter())
    _ = try reader.next()
    try writer.run("INSERT INTO t VALUES (3)")
    #expect(try !isFree())
    while try reader.next() != nil {}
    #expect(try isFree())
    let second = try RowSnapshot(tracked, filter: ChangeFilter())
    _ = try second.next()
    try writer.run("INSERT INTO t VALUES (4)")
    second.end()
    #expect(try isFree())
    #expect(try second.next() == nil)
  }

  @Test("without a history there is no snapshot")
  func untracked() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(x)")
    let error = #expect(throws: HistoryError.self) {
      try RowSnapshot(store.opened(), filter: ChangeFilter())
    }
    #expect(error?.code == .notTracked)
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
