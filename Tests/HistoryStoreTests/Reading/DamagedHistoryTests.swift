import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Rows in the history that nobody but a hand or a failing disk can have put there.
@Suite("A damaged history", .timeLimit(.minutes(2)))
struct DamagedHistoryTests {
  /// Runs what may fail, but in one way only.
  ///
  /// - Returns: The error's code, nil where there was none.
  @discardableResult
  private func outcome(
    _ name: String, _ body: () throws -> Void
  ) -> HistoryError.Code? {
    do {
      try body()
    } catch let error as HistoryError {
      return error.code
    } catch {
      Issue.record("\(name): \(error)")
    }
    return nil
  }

  @Test("a change that is neither insert, update nor delete is an error", arguments: 11...15)
  func operation(what: Int) throws {
    let timeline = try Timeline()
    try timeline.writer.execute("INSERT INTO _history_change(what, v0) VALUES (\(what), 1)")
    #expect(outcome("reading") { _ = try timeline.groups() } == .notTracked)
  }

  @Test("the names of a notice end where their lengths make no sense")
  func notice() throws {
    for names in ["-5:ab", "-1:", "3:ab", ":ab", "1:a-1:b", "9223372036854775807:a", "+1:a"] {
      let timeline = try Timeline()
      try timeline.writer.run(
        """
        INSERT INTO _history_change(what, at, v0, v1, v2, v3)
        VALUES (5, 1, 'schema', 't', 'columns-added', ?)
        """, .text(names))
      #expect(try timeline.store.recorded().notices.count == 1)
    }
  }

  @Test("a tag without a time, or with one that is none, makes a transaction without a time")
  func tagTime() throws {
    for time in ["NULL", "'yesterday'", "x'00'", "'2461000.5'"] {
      let timeline = try Timeline()
      try timeline.insert(1...1)
      try timeline.writer.execute(
        """
        BEGIN; INSERT INTO t(id) VALUES (2);
        INSERT INTO _history_change(what, at, v0, v2, v3) VALUES (1, \(time), 'app', 2, 7); COMMIT
        """)
      let recorder = try timeline.store.recorded()
      #expect(recorder.transactions.map(\.record.author) == [nil, "app"])
      #expect(recorder.transactions.last?.record.timestamp == nil)
    }
  }

  /// Values as they come, and some that mean something to whoever reads.
  private func value(_ random: inout SeededGenerator) -> StoredValue {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: .null
    case 2: .integer(Int64.random(in: -2...30, using: &random))
    case 3: .integer([.min, .max, 1 << 40, -1].randomElement(using: &random) ?? 0)
    case 4: .real([0.5, -1e300, 2_461_000.5, .infinity].randomElement(using: &random) ?? 0)
    case 5: .blob([UInt8](repeating: 0xff, count: Int.random(in: 0..<40, using: &random)))
    case 6:
      .text(
        ["gap", "schema", "columns-added", "table-renamed", "capture-was-missing", "migrated"]
          .randomElement(using: &random) ?? "")
    default:
      .text(
        ["", "-5:ab", "1:a", "99:a", "t", "app", "6f0e", "\u{0}", "-9223372036854775808:x"]
          .randomElement(using: &random) ?? "")
    }
  }

  private func damage(_ timeline: Timeline, _ random: inout SeededGenerator, far: Bool) throws {
    let sequence: StoredValue =
      switch Int.random(in: 0..<(far ? 12 : 9), using: &random) {
      case 0: .integer(Int64.random(in: -3...3, using: &random))
      case 1: .integer(Int64.random(in: 50...30_000, using: &random))
      case 9: .integer(1 << 40)
      case 10: .integer((1 << 61) + 1)
      case 11: .integer(.max)
      default: .null
      }
    let what: StoredValue =
      switch Int.random(in: 0..<10, using: &random) {
      case 0...4: .integer(Int64.random(in: -1...5, using: &random))
      case 5...7: .integer(Int64.random(in: 6...26, using: &random))
      default: value(&random)
      }
    let time: StoredValue =
      Bool.random(using: &random)
      ? .real(2_461_000.5 + Double.random(in: 0...1, using: &random)) : value(&random)
    let values = (0..<16).map { _ in value(&random) }
    let names = (0..<16).map { "v\($0)" }.joined(separator: ",")
    let statement = try timeline.writer.prepare(
      """
      INSERT OR REPLACE INTO _history_change(sequence, what, at, \(names))
      VALUES (\(Array(repeating: "?", count: 19).joined(separator: ",")))
      """)
    try statement.bind([sequence, what, time] + values)
    try statement.run()
  }

  @Test("whoever reads it gets what is there, or an error, and comes to an end", arguments: 1...60)
  func arbitrary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let wide = (0..<20).map { "c\($0) REAL" }.joined(separator: ",")
    let timeline = try Timeline(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE w(id INTEGER PRIMARY KEY, \(wide))")
    var id = 0
    for _ in 0..<Int.random(in: 2...12, using: &random) {
      id += 1
      switch Int.random(in: 0..<5, using: &random) {
      case 0: outcome("insert") { try? timeline.insert(id...id) }
      case 1: try? timeline.tagged("app", "INSERT INTO t(id) VALUES (\(id)); UPDATE t SET a = 1")
      case 2: try? timeline.writer.execute("INSERT INTO w(id, c3) VALUES (\(id), 2)")
      default: try damage(timeline, &random, far: seed % 4 == 0)
      }
    }
    let store = try timeline.store.opened()
    let now = CalendarTime(milliseconds: timeline.clock.now + 86_400_000)
    for filter in [ChangeFilter(), ChangeFilter(tables: ["t"]), ChangeFilter(authors: ["none"])] {
      for length in [1, 1000] {
        outcome("reader") {
          let recorder = try HistoryRecorder(store, after: store.state().oldest, filter: filter)
          try recorder.read(pagesOf: length)
        }
      }
    }
    outcome("log") {
      let (oldest, head) = (try store.state().oldest, try store.state().head)
      var end = head
      var pages = 0
      while end.sequence > oldest.sequence, pages < 1000 {
        pages += 1
        let start = try store.boundary(notAfter: end.sequence - 3, before: end)
        let recorder = try HistoryRecorder(store, after: start, until: end)
        try recorder.read()
        end = start
      }
    }
    outcome("size") { _ = try store.size() }
    outcome("check") { _ = try store.check() }
    outcome("writer") {
      let retention = try HistoryRetention(
        path: timeline.store.path,
        limits: RetentionLimits(age: .seconds(60), bytes: seed % 2 == 0 ? 200 : nil))
      for _ in 0..<200 where try retention.look(now: now) != .nothing { _ = try retention.work() }
    }
    for policy in [
      .newest(3), .size(300), .since(CalendarTime(milliseconds: timeline.clock.now)), .newest(0),
    ] as [RetentionPolicy] {
      outcome("trimmer") {
        _ = try HistoryTrimmer(store).trim(keeping: policy, isForced: false)
      }
    }
    outcome("sweeper") {
      let sweeper = HistorySweeper(store)
      for _ in 0..<1000 where try sweeper.step() == .done { return }
      Issue.record("the sweeper never comes to its end")
    }
  }
}
