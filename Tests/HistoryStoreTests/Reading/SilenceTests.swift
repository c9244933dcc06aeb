import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// How far a page reads where nothing in the history matches.
@Suite("Pages in which nothing matches")
struct SilenceTests {
  /// A history of some tens of thousands of rows, of one kind.
  enum Kind: String, CaseIterable, Sendable {
    case untagged, tagged, many, empty, wide
  }

  private func timeline(_ kind: Kind) throws -> Timeline {
    let columns = (0..<40).map { "c\($0)" }.joined(separator: ",")
    let timeline = try Timeline(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE w(id INTEGER PRIMARY KEY, \(columns))"
    )
    func numbers(_ count: Int) -> String {
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))"
    }
    switch kind {
    case .untagged:
      try timeline.writer.execute("\(numbers(30_000)) INSERT INTO t(id) SELECT i FROM n")
    case .tagged:
      try timeline.tagged("app", "\(numbers(30_000)) INSERT INTO t(id) SELECT i FROM n")
    case .wide:
      try timeline.writer.execute("\(numbers(10_000)) INSERT INTO w(id) SELECT i FROM n")
    case .many, .empty:
      try timeline.writer.execute("PRAGMA synchronous = OFF; BEGIN")
      for id in 1...6000 {
        try timeline.writer.execute("INSERT INTO history_author(name) VALUES ('app')")
        if kind == .many {
          try timeline.writer.execute("INSERT INTO t(id) VALUES (\(id)), (\(id + 20_000))")
        }
        try timeline.writer.execute("DELETE FROM history_author")
      }
      try timeline.writer.execute("COMMIT")
    }
    return timeline
  }

  @Test(
    "ends after some thousand rows all the same, and the next goes on behind it",
    arguments: Kind.allCases)
  func ends(kind: Kind) throws {
    let timeline = try timeline(kind)
    let store = try timeline.store.opened()
    let state = try store.state()
    for filter in [ChangeFilter(tables: ["none"]), ChangeFilter(authors: ["nobody"])] {
      let reader = try HistoryReader(store, after: state.oldest, filter: filter)
      var reached: Int64 = 0
      var pages = 0
      while try reader.read({ _ in .goOn }) == .more {
        // A change has three rows at most here; a page may also end because a tag is looked for.
        #expect(reader.sequence - reached <= 4096 + 3)
        reached = reader.sequence
        pages += 1
      }
      #expect(pages >= state.head.sequence / 4100)
      #expect(pages <= state.head.sequence / 4096 + state.head.sequence / 20_000 + 2)
      #expect(reader.token == state.head)
      #expect(reader.takePassedOver() == (kind != .empty))
    }
  }

  @Test("ends sooner where the rows are large")
  func large() throws {
    let timeline = try Timeline()
    try timeline.writer.execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 64)
      INSERT INTO t SELECT i, zeroblob(300000) FROM n; UPDATE t SET a = zeroblob(300001)
      """)
    let store = try timeline.store.opened()
    let reader = try HistoryReader(
      store, after: store.state().oldest, filter: ChangeFilter(operations: [.delete]))
    var reached: Int64 = 0
    var longest: Int64 = 0
    while try reader.read({ _ in .goOn }) == .more {
      longest = max(longest, reader.sequence - reached)
      reached = reader.sequence
    }
    #expect(longest < 32)
  }

  @Test("says where it stands between two transactions, so that nothing need be read twice")
  func position() throws {
    let timeline = try timeline(.many)
    let store = try timeline.store.opened()
    let state = try store.state()
    let filter = ChangeFilter(tables: ["none"])
    let reader = try HistoryReader(store, after: state.oldest, filter: filter)
    var last = state.oldest
    var moves = 0
    while try reader.read({ _ in .goOn }) == .more {
      if reader.token != last { moves += 1 }
      last = reader.token
      let rest = try HistoryReader(store, after: reader.token)
      var first: Int?
      _ = try rest.read { item in
        if case .change(_, let index, _) = item { first = index }
        return .pause
      }
      #expect(first == 0)
    }
    #expect(moves > 2)
  }

  @Test("what matches is given whole, however rare it is", arguments: [1, 1000])
  func rare(length: Int) throws {
    let timeline = try Timeline()
    for id in 1...6 {
      try timeline.writer.execute(
        """
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
        INSERT INTO t(id, a) SELECT i + \(id * 10_000), \(id) FROM n
        """)
      if id % 2 == 0 {
        try timeline.tagged(
          "rare", "DELETE FROM t WHERE a = \(id - 1); INSERT INTO t(id) VALUES (\(id))")
      }
    }
    let store = try timeline.store.opened()
    let whole = try timeline.store.recorded().transactions
    for filter in [
      ChangeFilter(authors: ["rare"]), ChangeFilter(operations: [.insert], authors: ["rare"]),
    ] {
      let recorder = try HistoryRecorder(store, after: store.state().oldest, filter: filter)
      #expect(try recorder.read(pagesOf: length) == .atHead)
      #expect(recorder.transactions.count == 3)
      let tokens = whole.filter { $0.record.author == "rare" }.map { $0.token }
      #expect(recorder.transactions.map { $0.token } == tokens)
      #expect(recorder.reader.token == (try store.state().head))
    }
  }
}
