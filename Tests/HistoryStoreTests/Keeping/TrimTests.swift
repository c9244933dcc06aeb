import HistoryModel
import HistoryTestSupport
import SQLite
import Testing

@testable import HistoryStore

@Suite("Trimming")
struct TrimTests {
  private func trim(
    _ timeline: Timeline, _ policy: RetentionPolicy, isForced: Bool = false
  ) throws -> HistoryTrimmer.Outcome {
    try HistoryTrimmer(timeline.store.opened()).trim(keeping: policy, isForced: isForced)
  }

  /// Five tagged transactions of two changes, one second apart.
  private func five() throws -> (Timeline, [HistoryToken]) {
    let timeline = try Timeline()
    var tokens: [HistoryToken] = []
    for id in 1...5 {
      try timeline.tagged("app", "INSERT INTO t(id) VALUES (\(id)), (\(id + 100))")
      tokens.append(try timeline.store.opened().state().head)
      timeline.clock.advance(milliseconds: 1000)
    }
    return (timeline, tokens)
  }

  @Test("the newest so many transactions are kept", arguments: [0, 1, 3, 5, 6, 100, .max])
  func newest(count: Int) throws {
    let (timeline, tokens) = try five()
    // What changed nothing does not count.
    try timeline.tagged("app", "")
    let head = try timeline.store.opened().state().head
    let outcome = try trim(timeline, .newest(count))
    #expect(outcome.transactions == max(0, 5 - count))
    #expect(outcome.changes == 2 * max(0, 5 - count))
    #expect(try timeline.groups().count == min(5, count))
    let cut = count == 0 ? head : count < 5 ? tokens[4 - count] : nil
    if let cut { #expect(outcome.oldest == cut) } else { #expect(outcome.oldest.sequence == 0) }
    #expect(try timeline.store.opened().state().oldest == outcome.oldest)
  }

  @Test("transactions made at or after a moment are kept", arguments: -1...6)
  func since(second: Int) throws {
    let (timeline, _) = try five()
    let moment = 1_764_486_000_000 + Int64(second) * 1000
    _ = try trim(timeline, .since(CalendarTime(milliseconds: moment)))
    #expect(try timeline.groups().count == min(5, max(0, 5 - second)))
    _ = try trim(timeline, .since(CalendarTime(milliseconds: moment + 1)))
    #expect(try timeline.groups().count == min(5, max(0, 4 - second)))
  }

  @Test("without times untagged changes are as old as the next tagged transaction")
  func sinceWithoutTimes() throws {
    let timeline = try Timeline(omitsTimes: true)
    try timeline.insert(1...2)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (3)")
    try timeline.insert(4...4)
    _ = try trim(timeline, .since(CalendarTime(milliseconds: timeline.clock.now)))
    #expect(try timeline.groups().count == 3)
    _ = try trim(timeline, .since(CalendarTime(milliseconds: timeline.clock.now + 1)))
    #expect(try timeline.groups() == [.init(nil, [4])])
  }

  @Test("what a clock dated that was years ahead keeps nothing for ever")
  func clockWasAhead() throws {
    let timeline = try Timeline()
    let ahead: Int64 = 20 * 365 * 86_400_000
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (1)")
    timeline.clock.advance(milliseconds: ahead)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (2)")
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (3)")
    // How old these are nobody knows, until there is a later one.
    _ = try trim(timeline, .since(CalendarTime(milliseconds: timeline.clock.now - ahead + 1)))
    #expect(try timeline.groups() == [.init("app", [2]), .init("app", [3])])
    timeline.clock.advance(milliseconds: -ahead)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (4)")
    let moment = timeline.clock.now
    _ = try trim(timeline, .since(CalendarTime(milliseconds: moment)))
    #expect(try timeline.groups().count == 3)
    timeline.clock.advance(milliseconds: 1000)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (5)")
    _ = try trim(timeline, .since(CalendarTime(milliseconds: moment + 1)))
    #expect(try timeline.groups() == [.init("app", [5])])
  }

  @Test("what follows a token is kept, exactly")
  func after() throws {
    let (timeline, tokens) = try five()
    for (place, token) in tokens.enumerated() {
      let outcome = try trim(timeline, .after(token))
      #expect(outcome.oldest == token)
      #expect(outcome.transactions == 1)
      #expect(try timeline.groups().count == 4 - place)
    }
    // Once more, and further back, drops nothing.
    #expect(try trim(timeline, .after(tokens[4])).transactions == 0)
    #expect(try trim(timeline, .after(tokens[0])).oldest == tokens[4])
  }

  @Test("a token inside a run of untagged changes is cut at exactly")
  func insideRun() throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    let token = try timeline.store.opened().state().head
    try timeline.insert(3...4)
    let outcome = try trim(timeline, .after(token))
    #expect(outcome.changes == 2)
    #expect(try timeline.groups() == [.init(nil, [3, 4])])
  }

  @Test("a token of nowhere is refused")
  func nowhere() throws {
    let (timeline, tokens) = try five()
    let wrong = HistoryToken(
      storeIdentifier: tokens[0].storeIdentifier, epoch: 1, sequence: 3, check: 1)
    let other = try Timeline()
    let foreign = try other.store.opened().state().head
    #expect(
      #expect(throws: HistoryError.self) { try trim(timeline, .after(wrong)) }?.code
        == .historyTokenExpired)
    #expect(
      #expect(throws: HistoryError.self) { try trim(timeline, .after(foreign)) }?.code
        == .foreignToken)
    #expect(try timeline.groups().count == 5)
  }

  @Test("so many bytes are kept: whole transactions, the newest")
  func size() throws {
    let timeline = try Timeline()
    for id in 1...20 {
      try timeline.tagged("app", "INSERT INTO t VALUES (\(id), randomblob(1000))")
    }
    _ = try trim(timeline, .size(1_000_000))
    #expect(try timeline.groups().count == 20)
    _ = try trim(timeline, .size(10_500))
    let kept = try timeline.groups()
    #expect((8...10).contains(kept.count))
    #expect(kept.last == .init("app", [20]))
    #expect(try timeline.store.opened().size().bytes <= 10_500)
    _ = try trim(timeline, .size(0))
    #expect(try timeline.groups() == [])
    try timeline.insert(21...21)
    #expect(try timeline.groups() == [.init(nil, [21])])
  }

  @Test("oldest moves before a row is deleted, and an interrupted sweep goes on")
  func sweep() throws {
    let timeline = try Timeline()
    try timeline.writer.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (3001)")
    let outcome = try trim(timeline, .newest(1))
    let count = { try timeline.writer.row("SELECT count(*) FROM _history_change")?[0].integer ?? 0 }
    #expect(outcome.changes == 3000)
    #expect(try count() == 3003)
    #expect(try timeline.groups() == [.init("app", [3001])])
    // One step of a sweeper that then is no more.
    #expect(try HistorySweeper(timeline.store.opened()).step() == .more)
    #expect((1..<3003).contains(try count()))
    #expect(try timeline.groups() == [.init("app", [3001])])
    #expect(try timeline.sweep() > 1)
    #expect(try count() == 3)
    #expect(try timeline.groups() == [.init("app", [3001])])
    #expect(try timeline.sweep() == 1)
  }

  @Test("however large the rows are, a step deletes few of them, and does come to its end")
  func sweepLargeRows() throws {
    let timeline = try Timeline()
    // Small ones first, so that the steps have grown when the large ones come.
    try timeline.writer.execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      INSERT INTO t(id) SELECT i FROM n;
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO t SELECT i + 30000, zeroblob(300000) FROM n
      """)
    _ = try trim(timeline, .newest(0))
    let sweeper = try HistorySweeper(timeline.store.opened())
    let count = { try timeline.writer.row("SELECT count(*) FROM _history_change")?[0].integer ?? 0 }
    var last = try count()
    var steps = 0
    while try sweeper.step() != .done, steps < 20_000 {
      steps += 1
      let now = try count()
      // Of the large rows, which are the last sixty.
      #expect(min(last, 60) - min(now, 60) <= 3)
      last = now
    }
    #expect(try count() == 1)
    #expect(try timeline.store.opened().size().rows == 0)
  }

  @Test(
    "where each step takes longer than it should, as with a slow disk, the steps stay worth a sync",
    arguments: TemporaryStore.Journal.allCases)
  func sweepOnSlowDisk(journal: TemporaryStore.Journal) throws {
    let timeline = try Timeline(journal: journal)
    try timeline.writer.execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    _ = try trim(timeline, .newest(0))
    // No time at all is enough.
    let sweeper = try HistorySweeper(timeline.store.opened(), share: .zero)
    var rows = try (0..<4).map { _ in try sweeper.sweep() }
    // The first knows nothing yet.
    rows.removeFirst()
    let least: Int64 = journal == .wal ? 20 : 200
    #expect(rows == [least, least, least])
  }

  @Test("a sweeper gives way to whoever is writing")
  func sweepGivesWay() throws {
    let (timeline, _) = try five()
    _ = try trim(timeline, .newest(1))
    let sweeper = try HistorySweeper(timeline.store.opened())
    try timeline.writer.execute("BEGIN IMMEDIATE; INSERT INTO t(id) VALUES (77)")
    #expect(try sweeper.step() == .busy)
    try timeline.writer.execute("COMMIT")
    #expect(try sweeper.step() != .busy)
    try timeline.sweep()
    #expect(try timeline.groups().count == 2)
  }

  @Test("a sequence is never used again, also after everything was trimmed and swept")
  func neverReused() throws {
    let (timeline, _) = try five()
    let head = try timeline.store.opened().state().head
    let outcome = try trim(timeline, .newest(0))
    #expect(outcome.oldest == head)
    try timeline.sweep()
    #expect(
      try timeline.writer.rows("SELECT sequence FROM _history_change") == [
        [.integer(head.sequence)]
      ])
    #expect(try timeline.store.opened().state().head == head)
    #expect(try timeline.store.opened().size().rows == 0)
    try timeline.writer.execute("DELETE FROM t")
    let transactions = try timeline.store.recorded(after: head).transactions
    #expect(transactions.map(\.changes.count) == [10])
    #expect(transactions[0].token.sequence > head.sequence)
  }

  @Test("a store with nothing in it can be trimmed")
  func nothing() throws {
    for policy in [
      .newest(0), .newest(3), .size(0), .since(CalendarTime(milliseconds: .max)),
    ] as [RetentionPolicy] {
      let timeline = try Timeline()
      let outcome = try trim(timeline, policy)
      #expect(outcome.transactions == 0)
      #expect(outcome.oldest.sequence == 0)
      #expect(try HistorySweeper(timeline.store.opened()).step() == .done)
    }
  }
}
