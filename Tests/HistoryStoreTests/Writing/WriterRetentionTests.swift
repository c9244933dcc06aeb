import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Synchronization
import Testing

@Suite("Trimming by library writers")
struct WriterRetentionTests {
  /// The clock of these stores stands at November 2025, long before any week that ends now.
  private func backlog(_ count: Int) throws -> Timeline {
    let timeline = try Timeline()
    for id in 1...count { try timeline.tagged("app", "INSERT INTO t(id) VALUES (\(id))") }
    return timeline
  }

  private func rows(_ timeline: Timeline) throws -> Int64 {
    try timeline.writer.row("SELECT count(*) FROM _history_change")?[0].integer ?? 0
  }

  private func write(_ writer: StoreWriter, _ id: Int64) async throws {
    try await writer.write(author: "new") {
      try $0.run("INSERT INTO t(id) VALUES (?)", .integer(id))
    }
  }

  @Test("each transaction drops a little of what is too old, until all of it is gone")
  func little() async throws {
    let timeline = try backlog(200)
    let writer = try StoreWriter(path: timeline.store.path)
    var last = try rows(timeline)
    for id in 1001...1060 {
      try await write(writer, Int64(id))
      let now = try rows(timeline)
      // Two rows were added: 32 and two for each of them are the most that go.
      #expect(now >= last + 2 - 36)
      last = now
    }
    #expect(try timeline.groups().map(\.author) == Array(repeating: "new", count: 60))
    #expect(last == 120)
  }

  @Test("what is young stays")
  func young() async throws {
    let timeline = try Timeline()
    let writer = try StoreWriter(path: timeline.store.path)
    for id in 1...200 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 200)
  }

  @Test("whoever wants to keep everything does")
  func unlimited() async throws {
    let timeline = try backlog(20)
    let writer = try StoreWriter(path: timeline.store.path, retention: nil)
    for id in 1001...1100 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 120)
  }

  @Test("what a consumer has not read stays, and what it has read goes")
  func consumers() async throws {
    let timeline = try backlog(20)
    let position = try timeline.store.recorded().transactions[9].token
    _ = try Consumers(timeline.store.opened()).create("mirror", at: .after(position))
    let writer = try StoreWriter(path: timeline.store.path)
    for id in 1001...1070 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 80)
    #expect(try timeline.store.opened().state().oldest == position)
    try Consumers(timeline.store.opened()).remove("mirror")
    for id in 2001...2070 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 140)
  }

  @Test("a rolled-back write drops nothing")
  func rolledBack() async throws {
    let timeline = try backlog(20)
    let before = try rows(timeline)
    let writer = try StoreWriter(path: timeline.store.path)
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await writer.write(author: "new") { transaction in
        try transaction.run("INSERT INTO t(id) VALUES (1001)")
        throw Stop()
      }
    }
    #expect(try rows(timeline) == before)
    #expect(try timeline.groups().count == 20)
    for id in 1001...1010 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 10)
  }

  @Test("a commit that fails drops nothing, and the next one does")
  func failedCommit() async throws {
    let timeline = try backlog(20)
    let reader = try timeline.store.connection()
    let writer = try StoreWriter(path: timeline.store.path, foreignKeys: true)
    try timeline.writer.execute(
      "CREATE TABLE c(p REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED)")
    await #expect(throws: HistoryError.self) {
      try await writer.write(author: "new") { transaction in
        try transaction.run("INSERT INTO t(id) VALUES (1001)")
        try transaction.run("INSERT INTO c VALUES (77777)")
      }
    }
    #expect(try timeline.groups().count == 20)
    for id in 1002...1010 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 9)
    #expect(try reader.row("SELECT count(*) FROM _history_change")?[0].integer == 18)
  }

  @Test("so many bytes are kept, and one transaction more at most")
  func size() async throws {
    let timeline = try Timeline()
    let limits = RetentionLimits(age: nil, bytes: 50_000)
    let writer = try StoreWriter(path: timeline.store.path, retention: limits)
    for id in 1...500 {
      try await writer.write(author: "new") {
        try $0.run("INSERT INTO t VALUES (?, zeroblob(1000))", .integer(Int64(id)))
      }
    }
    let kept = try timeline.groups()
    // It looks once in 64 transactions while there is nothing to do.
    #expect((40...115).contains(kept.count), "\(kept.count)")
    #expect(kept.last == .init("new", [500]))
  }

  @Test("however large what is dropped is, a transaction drops little of it")
  func large() async throws {
    let timeline = try Timeline()
    for id in 1...15 {
      try timeline.tagged("app", "INSERT INTO t VALUES (\(id), zeroblob(300000))")
    }
    let writer = try StoreWriter(path: timeline.store.path)
    let sum = "SELECT ifnull(sum(length(v1)), 0) FROM _history_change WHERE typeof(v1) = 'blob'"
    var last = try timeline.writer.row(sum)?[0].integer ?? 0
    var count = 0
    while last > 0, count < 200 {
      count += 1
      try await write(writer, Int64(1000 + count))
      let now = try timeline.writer.row(sum)?[0].integer ?? 0
      #expect(last - now <= 300_000)
      last = now
    }
    #expect(last == 0)
    // What large transactions leave is dropped by large transactions: a backlog always shrinks.
    let second = try Timeline()
    for id in 1...12 {
      try second.tagged("app", "INSERT INTO t VALUES (\(id), zeroblob(300000))")
    }
    let other = try StoreWriter(path: second.store.path)
    for id in 1001...1015 {
      try await other.write(author: "new") {
        try $0.run("INSERT INTO t VALUES (?, zeroblob(300000))", .integer(Int64(id)))
      }
    }
    #expect(try rows(second) == 30)
  }

  @Test("what is written while history is deleted is as safe as always")
  func deletingBeside() async throws {
    let timeline = try Timeline()
    try timeline.writer.execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 8000)
      INSERT INTO t(id) SELECT i FROM n
      """)
    let writer = try StoreWriter(path: timeline.store.path, retention: nil)
    let head = try timeline.store.opened().state().head
    let isOver = Mutex(false)
    let settings = Mutex<Set<[StoredValue]>>([])
    func look() async throws {
      try await writer.write(author: "new") { transaction in
        let found =
          try transaction.rows("PRAGMA synchronous")
          + transaction.rows("PRAGMA wal_autocheckpoint") + transaction.rows("PRAGMA busy_timeout")
        settings.withLock { _ = $0.insert(found.flatMap(\.self)) }
        try transaction.run("INSERT INTO t DEFAULT VALUES")
      }
    }
    async let outcome = {
      defer { isOver.withLock { $0 = true } }
      return try await writer.deleteHistory(through: head)
    }()
    while !isOver.withLock({ $0 }) { try await look() }
    #expect(try await outcome.changes == 8000)
    try await look()
    #expect(settings.withLock { $0 } == [[2, 1000, 5000]])
    #expect(try timeline.writer.row("SELECT min(sequence) > 7999 FROM _history_change")?[0] == 1)
  }

  @Test("what another process trimmed is not trimmed again")
  func besideOthers() async throws {
    let timeline = try backlog(40)
    let writer = try StoreWriter(path: timeline.store.path)
    try await write(writer, 1001)
    _ = try HistoryTrimmer(timeline.store.opened()).trim(keeping: .newest(1), isForced: false)
    for id in 1002...1010 { try await write(writer, Int64(id)) }
    #expect(try timeline.groups().count == 10)
    #expect(try rows(timeline) == 20)
  }
}
