import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// What belongs to one transaction, as far as it can be known.
@Suite("Grouping of changes")
struct GroupingTests {
  @Test("a tagged transaction is by itself, what is around it is untagged")
  func tagged() throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    try timeline.tagged("app", "INSERT INTO t(id) VALUES (3), (4)")
    try timeline.tagged("widget", "INSERT INTO t(id) VALUES (5)")
    try timeline.insert(6...7)
    #expect(
      try timeline.groups() == [
        .init(nil, [1, 2]), .init("app", [3, 4]), .init("widget", [5]), .init(nil, [6, 7]),
      ])
  }

  @Test("a transaction's record says who, why, when and in which order")
  func record() throws {
    let timeline = try Timeline()
    try timeline.insert(1...1)
    timeline.clock.advance(milliseconds: 300)
    try timeline.tagged("app", context: "nightly", "INSERT INTO t(id) VALUES (2)")
    let records = try timeline.store.recorded().transactions.map(\.record)
    #expect(records.map(\.isTagged) == [false, true])
    #expect(records.map(\.author) == [nil, "app"])
    #expect(records.map(\.context) == [nil, "nightly"])
    #expect(records.map(\.timestamp?.milliseconds) == [1_764_486_000_000, 1_764_486_000_300])
    #expect(records.map(\.origin) == [nil, nil])
    #expect(records[0].number < records[1].number)
  }

  @Test("a library writer's transaction is by itself")
  func library() async throws {
    let timeline = try Timeline()
    try timeline.insert(1...1)
    let writer = try StoreWriter(path: timeline.store.path, retention: nil)
    try await writer.write(author: "app") { try $0.run("INSERT INTO t(id) VALUES (2), (3)") }
    try timeline.insert(4...4)
    #expect(
      try timeline.groups() == [.init(nil, [1]), .init("app", [2, 3]), .init(nil, [4])])
  }

  @Test("changes outside the tag of one COMMIT show as untagged")
  func outsideTag() throws {
    let timeline = try Timeline()
    try timeline.writer.execute(
      """
      BEGIN IMMEDIATE; INSERT INTO t(id) VALUES (1);
      INSERT INTO history_author(name) VALUES ('app'); INSERT INTO t(id) VALUES (2);
      DELETE FROM history_author; INSERT INTO t(id) VALUES (3); COMMIT
      """)
    #expect(try timeline.groups() == [.init(nil, [1]), .init("app", [2]), .init(nil, [3])])
  }

  @Test("untagged changes are cut where they paused for a second or more", arguments: [999, 1000])
  func pause(milliseconds: Int64) throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    timeline.clock.advance(milliseconds: milliseconds)
    try timeline.insert(3...4)
    #expect(
      try timeline.groups()
        == (milliseconds < 1000
          ? [.init(nil, [1, 2, 3, 4])] : [.init(nil, [1, 2]), .init(nil, [3, 4])]))
  }

  @Test("a pause of a second is one at any time of any day")
  func pauseAnywhere() throws {
    let timeline = try Timeline()
    var expected: [Int64] = []
    for id in 1...200 {
      timeline.clock.advance(milliseconds: 1000)
      try timeline.insert(id...id)
      expected.append(Int64(id))
    }
    #expect(try timeline.groups() == expected.map { .init(nil, [$0]) })
    for id in 201...400 {
      timeline.clock.advance(milliseconds: 999)
      try timeline.insert(id...id)
    }
    #expect(try timeline.groups().count == 200)
  }

  @Test("untagged changes are cut where the clock went back")
  func clockWentBack() throws {
    let timeline = try Timeline()
    try timeline.insert(1...2)
    timeline.clock.advance(milliseconds: -1)
    try timeline.insert(3...4)
    timeline.clock.advance(milliseconds: -100_000)
    try timeline.insert(5...5)
    #expect(
      try timeline.groups() == [.init(nil, [1, 2]), .init(nil, [3, 4]), .init(nil, [5])])
  }

  @Test("a run is cut at the first new statement after 10,000 rows, never inside a statement")
  func multiples() throws {
    let timeline = try Timeline()
    let fill = { (from: Int, through: Int) in
      try timeline.writer.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT \(from) UNION ALL SELECT i + 1 FROM n WHERE i < \(through))
        INSERT INTO t(id) SELECT i FROM n
        """)
      timeline.clock.advance(milliseconds: 1)
    }
    try fill(1, 9_999)
    try fill(10_000, 10_005)
    try fill(10_006, 10_010)
    try fill(10_011, 35_000)
    try fill(35_001, 35_001)
    try fill(35_002, 35_002)
    let groups = try timeline.groups()
    #expect(groups.map(\.keys.count) == [10_005, 24_995, 2])
    #expect(groups.map(\.keys.first) == [1, 10_006, 35_001])
  }

  @Test("without times a run is cut exactly at each multiple of 10,000")
  func multiplesWithoutTimes() throws {
    let timeline = try Timeline(omitsTimes: true)
    try timeline.writer.execute(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    timeline.clock.advance(milliseconds: 5000)
    try timeline.insert(25_001...25_001)
    let transactions = try timeline.store.recorded().transactions
    #expect(transactions.map(\.changes.count) == [10_000, 10_000, 5001])
    #expect(transactions.map(\.record.timestamp) == [nil, nil, nil])
  }

  @Test("a tagged transaction of any length is one")
  func longTagged() throws {
    let timeline = try Timeline()
    try timeline.tagged(
      "app",
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    for length in [700, 100_000] {
      let groups = try timeline.groups(pagesOf: length)
      #expect(groups.map(\.keys.count) == [45_000])
      #expect(groups.first?.author == "app")
    }
  }

  @Test("a transaction that changed nothing does not show")
  func empty() throws {
    let timeline = try Timeline()
    try timeline.tagged("app", "UPDATE t SET a = 1")
    try timeline.tagged("app", "")
    #expect(try timeline.groups() == [])
    try timeline.insert(1...1)
    try timeline.writer.execute("UPDATE t SET a = 0.0; UPDATE t SET a = 0.0")
    #expect(try timeline.groups() == [.init(nil, [1, 1])])
  }
}
