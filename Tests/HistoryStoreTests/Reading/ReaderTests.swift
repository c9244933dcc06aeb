import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("History reader")
struct ReaderTests {
  /// A history with everything in it: tagged, untagged, wide, empty, notices, two tables.
  private func eventful() throws -> Timeline {
    let wide = (0..<40).map { "c\($0)" }.joined(separator: ",")
    let timeline = try Timeline(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE w(id INTEGER PRIMARY KEY, \(wide))")
    try timeline.insert(1...3)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (4); INSERT INTO w(id) VALUES (1), (2)")
    try timeline.tagged("nobody", "")
    timeline.clock.advance(milliseconds: 2000)
    try timeline.writer.execute("UPDATE t SET a = id; UPDATE w SET c0 = 1, c39 = 2")
    try timeline.writer.execute("ALTER TABLE t ADD COLUMN b DEFAULT 5")
    try timeline.store.track()
    try timeline.writer.execute("REPLACE INTO t VALUES (1, 2, 3)")
    try timeline.tagged("widget", context: "c", "DELETE FROM w; UPDATE t SET id = 9 WHERE id = 2")
    timeline.clock.advance(milliseconds: 2000)
    try timeline.insert(20...22)
    return timeline
  }

  @Test("pages of any length give the same items", arguments: [1, 2, 3, 5, 7, 1000])
  func pages(length: Int) throws {
    let timeline = try eventful()
    let whole = try timeline.store.recorded().events
    #expect(whole.compactMap(\.transaction).count == 6)
    #expect(whole.compactMap(\.notice).count == 1)
    let store = try timeline.store.opened()
    let recorder = try HistoryRecorder(store, after: store.state().oldest)
    #expect(try recorder.read(pagesOf: length) == .atHead)
    #expect(recorder.events == whole)
    #expect(recorder.reader.token == (try store.state().head))
  }

  @Test("reading from every token that was given gives exactly what followed it")
  func resumed() throws {
    let timeline = try eventful()
    let whole = try timeline.store.recorded().events
    for (place, event) in whole.enumerated() {
      let rest = try timeline.store.recorded(after: event.token)
      #expect(rest.events == Array(whole[(place + 1)...]))
    }
    #expect(zip(whole, whole.dropFirst()).allSatisfy { $0.token < $1.token })
  }

  @Test("reading up to every token that was given gives exactly what preceded it")
  func until() throws {
    let timeline = try eventful()
    let store = try timeline.store.opened()
    let whole = try timeline.store.recorded().events
    for (place, event) in whole.enumerated() {
      let recorder = try HistoryRecorder(store, after: store.state().oldest, until: event.token)
      #expect(try recorder.read(pagesOf: 2) == .atEnd)
      #expect(recorder.events == Array(whole[...place]))
      #expect(recorder.reader.token == event.token)
    }
  }

  @Test("indexes are places in the whole transaction, whatever the filter lets through")
  func filteredIndexes() throws {
    let timeline = try eventful()
    let whole = try timeline.store.recorded().transactions.flatMap(\.changes)
    let filters = [
      ChangeFilter(tables: ["W"]), ChangeFilter(operations: [.delete]),
      ChangeFilter(tables: ["t"], operations: [.update, .insert]), ChangeFilter(tables: ["none"]),
    ]
    for filter in filters {
      let shown = try timeline.store.recorded(filter: filter).transactions.flatMap(\.changes)
      #expect(
        shown
          == whole.filter {
            filter.matches(table: $0.table) && filter.matches(operation: $0.operation)
          })
    }
  }

  @Test("filters by author leave whole transactions out, and change no token")
  func filteredAuthors() throws {
    let timeline = try eventful()
    let whole = try timeline.store.recorded().transactions
    for filter in [
      ChangeFilter(authors: ["app"]), ChangeFilter(authors: [nil]),
      ChangeFilter(excludedAuthors: ["app", nil]), ChangeFilter(authors: ["App"]),
    ] {
      let shown = try timeline.store.recorded(filter: filter).transactions
      #expect(shown == whole.filter { filter.matches(author: $0.record.author) })
    }
  }

  @Test("it says once that transactions were passed over, unless one was shown since")
  func passedOver() throws {
    let timeline = try Timeline()
    let store = try timeline.store.opened()
    let recorder = try HistoryRecorder(
      store, after: store.state().oldest, filter: ChangeFilter(authors: ["app"]))
    try recorder.read()
    #expect(!recorder.reader.takePassedOver())
    try timeline.insert(1...1)
    try recorder.read()
    #expect(recorder.reader.takePassedOver())
    #expect(!recorder.reader.takePassedOver())
    try timeline.insert(2...2)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (3)")
    try recorder.read()
    #expect(!recorder.reader.takePassedOver())
    #expect(recorder.reader.token == (try store.state().head))
  }

  @Test("a follower gets what is committed after each look, and a tagged transaction whole")
  func following() throws {
    let timeline = try Timeline()
    let store = try timeline.store.opened()
    let recorder = try HistoryRecorder(store, after: store.state().head)
    #expect(try recorder.read() == .atHead)
    try timeline.insert(1...1)
    try recorder.read()
    try timeline.insert(2...3)
    try recorder.read()
    try timeline.writer.execute(
      "BEGIN; INSERT INTO history_author(name) VALUES ('app'); INSERT INTO t(id) VALUES (4), (5)")
    try recorder.read()
    #expect(recorder.transactions.count == 2)
    try timeline.writer.execute("DELETE FROM history_author; COMMIT")
    try recorder.read()
    #expect(
      recorder.transactions.map { Timeline.Group($0) }
        == [.init(nil, [1]), .init(nil, [2, 3]), .init("app", [4, 5])])
    // A later reader sees the same changes in the same order.
    #expect(try timeline.store.recorded().lines == recorder.lines)
  }

  @Test("no read transaction is held between two pages")
  func holdsNothing() throws {
    let timeline = try Timeline()
    try timeline.insert(1...10)
    let store = try timeline.store.opened()
    let recorder = try HistoryReader(store, after: store.state().oldest)
    #expect(try recorder.read { _ in .pause } == .more)
    // With a read transaction open the log could not be emptied.
    #expect(try timeline.writer.row("PRAGMA wal_checkpoint(TRUNCATE)")?.first == 0)
  }

  @Test("columns added since are read from the row, as long as it is there")
  func supplement() throws {
    let timeline = try Timeline()
    try timeline.writer.execute("ALTER TABLE t ADD COLUMN b REAL DEFAULT 1")
    try timeline.writer.execute(
      "INSERT INTO t VALUES (1, 2, 3), (2, 3, 4); DELETE FROM t WHERE id = 2")
    #expect(
      try timeline.store.recorded().lines
        == ["insert t[1] id=1 a=2 b=3.0", "insert t[2] id=2 a=3", "delete t[2] id=2 a=3"])
  }

  @Test("columns added since are not read from another row that has the same key, as NULL allows")
  func supplementOfNull() throws {
    let timeline = try Timeline("CREATE TABLE t(a TEXT PRIMARY KEY, v)")
    try timeline.writer.execute("ALTER TABLE t ADD COLUMN x")
    try timeline.writer.execute("INSERT INTO t VALUES (NULL, 1, 'first')")
    #expect(try timeline.store.recorded().lines == ["insert t[NULL] a=NULL v=1 x='first'"])
    try timeline.writer.execute("INSERT INTO t VALUES (NULL, 2, 'second'), ('k', 3, 'third')")
    #expect(
      try timeline.store.recorded().lines
        == [
          "insert t[NULL] a=NULL v=1", "insert t[NULL] a=NULL v=2",
          "insert t['k'] a='k' v=3 x='third'",
        ])
  }

  @Test("a boundary near the head divides the rest as the oldest position does")
  func boundaries() throws {
    let timeline = try Timeline()
    for start in stride(from: 1, to: 40_000, by: 7000) {
      let sql = """
        WITH RECURSIVE n(i) AS (SELECT \(start) UNION ALL SELECT i + 1 FROM n WHERE i < \(start + 6999))
        INSERT INTO t(id) SELECT i FROM n
        """
      if start % 2 == 0 {
        try timeline.writer.execute(sql)
      } else {
        try timeline.tagged("app", sql)
      }
      timeline.clock.advance(milliseconds: 1)
      try timeline.writer.execute("UPDATE t SET a = 1 WHERE id = \(start)")
      timeline.clock.advance(milliseconds: 1)
    }
    let store = try timeline.store.opened()
    let whole = try timeline.store.recorded().transactions
    for sequence in stride(from: Int64(1), through: try store.state().head.sequence, by: 1999) {
      let boundary = try store.boundary(notAfter: sequence, before: store.state().head)
      #expect(boundary.sequence <= sequence)
      let rest = try timeline.store.recorded(after: boundary).transactions
      #expect(rest.map(\.token) == whole.map(\.token).filter { $0 > boundary })
    }
  }
}
