import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite

extension FaultSubject {
  /// What HistoryStore does.
  static let history: [FaultSubject] = [
    tracking(.keys), tracking(.changes), tracking(.full), renewal, untracking, dropping,
    taggedWrite, repeatedWrite, bulkWrite, untaggedWrite, trimmingWrite, trimming,
    consumer("create", refusal: .usage) { consumers, _ in
      _ = try consumers.create("new", at: .now)
    },
    consumer("acknowledge") { try $0.acknowledge("widget", $1.state().head) },
    consumer("remove", refusal: .noSuchConsumer) { consumers, _ in try consumers.remove("widget") },
    reading, rows,
  ]

  private static func tracking(_ capture: Capture) -> FaultSubject {
    FaultSubject("track --capture \(capture)") {
      try Tracker($0.opened()).track(Tracker.Request(capture: capture))
    }.with { $0.isTracked = false }
  }

  private static let renewal = FaultSubject("track after ALTER TABLE") {
    try Tracker($0.opened()).track(Tracker.Request())
  }.with {
    $0.prepare = {
      try Connection(path: $0.path).execute(
        """
        ALTER TABLE tasks ADD COLUMN due; DROP TABLE notes;
        CREATE TABLE notes(body, more); INSERT INTO notes VALUES (1, 2)
        """)
    }
  }

  private static let untracking = FaultSubject("untrack") {
    _ = try Untracker($0.opened()).untrack(["notes"])
  }.with { $0.refusal = .untrackable }

  private static let dropping = FaultSubject("untrack --drop-history") {
    try Untracker($0.opened()).dropHistory()
  }.with {
    $0.refusal = .notTracked
    $0.dropsHistory = true
  }

  private static let taggedWrite = FaultSubject("write with an author") {
    try await StoreWriter(path: $0.path, busyTimeout: 0).write(author: "fault") {
      try $0.run("REPLACE INTO tasks(id, title) VALUES (9, ?)", .text(FaultScene.secret))
      try $0.run("UPDATE tasks SET done = done + 1")
      try $0.run("DELETE FROM notes")
    }
  }

  private static let repeatedWrite = FaultSubject("write, tried twice") {
    let writer = try StoreWriter(path: $0.path, busyTimeout: 0)
    for _ in 0..<2 {
      do { try await step(writer) } catch { try await step(writer) }
    }
  }

  private static func step(_ writer: StoreWriter) async throws {
    try await writer.write(author: "fault") {
      try $0.run("UPDATE tasks SET done = done + 1")
      try $0.run("INSERT INTO notes VALUES (5)")
    }
  }

  /// More than SQLite's cache holds, so that pages are written before the commit.
  private static let bulkWrite = plain("write of many pages") { connection in
    try connection.execute("PRAGMA cache_size = 10; PRAGMA wal_autocheckpoint = 20")
    try connection.transaction(.immediate) {
      for number in 0..<12 {
        try connection.run(
          "INSERT INTO notes VALUES (?)", .text(String(repeating: "\(number) ", count: 3000)))
      }
    }
  }

  private static let untaggedWrite = plain("write in plain SQL") { connection in
    try connection.transaction(.immediate) {
      try connection.execute(
        """
        INSERT INTO history_author(name) VALUES ('importer');
        UPDATE tasks SET title = title || '!' WHERE id = 2; INSERT INTO notes VALUES (NULL);
        DELETE FROM history_author
        """)
    }
    try connection.execute("UPDATE notes SET body = 7")
  }

  /// What a program does that has no code of ours; only the triggers are.
  private static func plain(
    _ name: String, _ operate: @escaping @Sendable (Connection) throws -> Void
  ) -> FaultSubject {
    FaultSubject(name) { scene in
      try HistoryError.translating(at: scene.path) {
        let connection = try Connection(path: scene.path)
        try operate(connection)
        try connection.close()
      }
    }
  }

  private static let trimmingWrite = FaultSubject("write that trims") {
    let writer = try StoreWriter(
      path: $0.path, busyTimeout: 0, retention: RetentionLimits(age: nil, bytes: 1))
    try await writer.write(author: "fault") { try $0.run("UPDATE tasks SET done = done + 1") }
  }.with { $0.expiry = [.trimmed] }

  private static let trimming = FaultSubject("trim") {
    let store = try $0.opened()
    _ = try HistoryTrimmer(store).trim(keeping: .newest(1), isForced: false)
    let sweeper = HistorySweeper(store)
    var step = HistorySweeper.Step.more
    while step != .done { step = try sweeper.step() }
  }.with { $0.expiry = [.trimmed] }

  private static func consumer(
    _ verb: String, refusal: HistoryError.Code? = nil,
    _ operate: @escaping @Sendable (Consumers, TrackedStore) throws -> Void
  ) -> FaultSubject {
    FaultSubject("consumer \(verb)") {
      let store = try $0.opened()
      try operate(Consumers(store), store)
    }.with {
      $0.refusal = refusal
      $0.prepare = { _ = try Consumers($0.opened()).create("widget", at: .oldest) }
    }
  }

  private static let reading = FaultSubject("read the history") {
    let store = try $0.opened(.readOnly)
    let recorder = try HistoryRecorder(store, after: store.state().oldest)
    let state = try recorder.read(pagesOf: 2)
    guard state == .atHead, recorder.lines.count == 4 else {
      throw WrongResult(description: "\(state) \(recorder.lines.count)")
    }
  }

  private static let rows = FaultSubject("row snapshot") {
    let snapshot = try RowSnapshot($0.opened(.readOnly), filter: ChangeFilter())
    var count = 0
    while try snapshot.next() != nil { count += 1 }
    guard count == 5 else { throw WrongResult(description: "\(count) rows") }
  }
}
