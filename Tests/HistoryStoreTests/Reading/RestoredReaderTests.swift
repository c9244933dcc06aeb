import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Readers under which the store goes on from an older state of itself, in the same file.
@Suite("Readers of a store that is restored in place")
struct RestoredReaderTests {
  /// How a transaction is told.
  enum Writer: String, CaseIterable, Sendable {
    case plain, library, untagged
  }

  private func write(
    _ timeline: Timeline, _ writer: Writer, _ author: String, _ ids: ClosedRange<Int>
  ) async throws {
    let sql = ids.map { "INSERT INTO t(id) VALUES (\($0))" }.joined(separator: ";")
    switch writer {
    case .plain: try timeline.tagged(author, sql)
    case .library:
      try await StoreWriter(path: timeline.store.path, retention: nil).write(author: author) {
        try $0.execute(sql)
      }
    case .untagged: try timeline.writer.execute(sql)
    }
  }

  @Test(
    "what they found ahead before it is not taken for what came after it",
    arguments: Writer.allCases, Writer.allCases)
  func lookAhead(before: Writer, after: Writer) async throws {
    for kept in [1, 3, 4] {
      for (lost, new) in [(1, 2), (5, 1), (3, 3)] {
        let timeline = try Timeline()
        try timeline.insert(1...3)
        let copy = timeline.store.directory.file("copy")
        try Backup.copy(from: timeline.writer, to: copy)
        timeline.clock.advance(milliseconds: 5000)
        try await write(timeline, before, "a", 10...(9 + lost))
        let store = try timeline.store.opened()
        let recorder = try HistoryRecorder(store, after: store.state().oldest)
        var items = 0
        #expect(
          try recorder.reader.read { _ in
            items += 1
            return items == kept ? .pause : .goOn
          } == .more)
        let start = recorder.reader.sequence
        try Backup.copy(from: Connection(path: copy), into: timeline.writer)
        timeline.clock.advance(milliseconds: 5000)
        try await write(timeline, after, "b", 20...(19 + new))
        var found: [(String?, Int64)] = []
        var commits: [String?] = []
        var state = ReadingState.more
        while state == .more {
          state = try recorder.reader.read { item in
            switch item {
            case .change(let change, _, let record):
              let key = change.shape.keyPlaces.first.map {
                recorder.reader.values.value(at: (change.after ?? 0) + $0).integer ?? 0
              }
              found.append((record.author, key ?? 0))
            case .commit(let record, _, _): commits.append(record.author)
            case .notice: break
            }
            return .goOn
          }
        }
        #expect(state == .atHead)
        let author: String? = after == .untagged ? nil : "b"
        #expect(found.filter { $0.1 >= 10 }.map(\.0) == Array(repeating: author, count: new))
        #expect(found.map(\.1) == Array((start + 1)..<4) + (20..<(20 + Int64(new))))
        #expect(commits == (kept == 4 ? [author] : [nil, author]))
        #expect(recorder.reader.token == (try store.state().head))
      }
    }
  }

  @Test("a large transaction is looked through once, however small the pages are")
  func large() throws {
    let timeline = try Timeline()
    try timeline.insert(1...1)
    try timeline.tagged(
      "app",
      """
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    let store = try timeline.store.opened()
    let reader = try HistoryReader(store, after: store.state().oldest)
    var pages = 0
    while try reader.read({ _ in .pause }) == .more, pages < 2000 { pages += 1 }
    // Pages without an item are those that look ahead: each looks through 20,000 rows.
    #expect(reader.sequence >= 1980)
  }
}
