import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Observation
import SQLite
import Testing

/// Observers on a real store, with writers in this process and in others.
@Suite("History observer", .timeLimit(.minutes(1)))
struct HistoryObserverTests {
  private func store(
    _ sql: String = "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INTEGER);"
      + "CREATE TABLE notes(id INTEGER PRIMARY KEY)",
    journal: TemporaryStore.Journal = .wal
  ) throws -> TemporaryStore {
    let store = try TemporaryStore(sql: sql, journal: journal)
    try store.track()
    return store
  }

  @Test("own writes have been counted when the write returns", arguments: [1, 3])
  func ownWrites(count: Int) async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    #expect(observer.eventCounter == 0)
    for id in 1...count {
      let token = try await observed.write(author: "app") {
        try $0.run("INSERT INTO tasks(id) VALUES (?)", .integer(Int64(id)))
      }
      #expect(observer.eventCounter == id)
      #expect(observer.currentToken == token)
    }
  }

  @Test(
    "a commit of another process is counted without being asked for",
    arguments: TemporaryStore.Journal.allCases)
  func otherProcess(journal: TemporaryStore.Journal) async throws {
    let file = try store(journal: journal)
    let observer = try await HistoryObserver(store: ObservedStore(path: file.path))
    let writer = try WriterProcess(path: file.path)
    for id in 1...5 {
      try writer.run("PRAGMA busy_timeout = 5000; INSERT INTO tasks(id) VALUES (\(id))")
      // Observed as a program would: by Observation, which tells that it is about to change.
      for await counter in Observations({ observer.eventCounter }) where counter >= id { break }
    }
    #expect(observer.eventCounter == 5)
  }

  @Test("Observation is told when the new value can be read, so that none is waited for in vain")
  func announcedAfterwards() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let count = 300
    let writing = Task {
      for _ in 0..<count {
        try await observed.write(author: "app") {
          try $0.execute("INSERT INTO notes DEFAULT VALUES")
        }
      }
    }
    for await counter in Observations({ observer.eventCounter }) where counter == count { break }
    try await writing.value
  }

  @Test("a change that comes between reading a property and registering for it is told")
  func changedMeanwhile() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let rows = try await ResultsObserver<StoredRow>(store: observed, query: "SELECT id FROM tasks")
    let error = HistoryError(.temporary, "for a test")
    // Read first and then changed by another, before Observation knows that it is waited for.
    let errors = Observations {
      let read = observer.error
      if read == nil { observer.failed(error) }
      return read
    }
    for await error in errors where error != nil { break }
    let rowErrors = Observations {
      let read = rows.error
      if read == nil { rows.failed(error, isFinal: false) }
      return read
    }
    for await error in rowErrors where error != nil { break }
  }

  @Test("what does not match is not counted, and moves the position all the same")
  func filters() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let tasks = try await HistoryObserver(
      store: observed, observedTables: ["TASKS"], excludingAuthors: ["widget"])
    let mine = try await HistoryObserver(store: observed, authors: ["app", nil])
    let insert = "INSERT INTO tasks DEFAULT VALUES"
    try await observed.write(author: "app") { try $0.execute(insert) }
    try await observed.write(author: "widget") { try $0.execute(insert) }
    let last = try await observed.write(author: "other") {
      try $0.execute("INSERT INTO notes DEFAULT VALUES")
    }
    #expect(tasks.eventCounter == 1)
    #expect(mine.eventCounter == 1)
    #expect(tasks.currentToken == last)
    #expect(mine.currentToken == last)
    try file.connection().execute(insert)
    try await observed.waitUntil(observed.state().head)
    #expect(tasks.eventCounter == 2)
    #expect(mine.eventCounter == 2)
  }

  @Test("an interest goes down to columns and to a row")
  func columnsAndRows() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    try await observed.write(author: "app") {
      try $0.execute("INSERT INTO tasks(id, title) VALUES (1, 'a'), (2, 'b')")
    }
    let titles = try await HistoryObserver(
      store: observed, after: .now, interest: ChangeInterest(columns: .named(["title"])))
    let second = try await HistoryObserver(
      store: observed, after: .now, interest: ChangeInterest(rows: ["tasks": 2]))
    for sql in [
      "UPDATE tasks SET done = 1", "UPDATE tasks SET title = 'c' WHERE id = 1",
      "UPDATE tasks SET title = 'd' WHERE id = 2", "DELETE FROM tasks WHERE id = 1",
    ] {
      try await observed.write(author: "app") { try $0.execute(sql) }
    }
    #expect(titles.eventCounter == 3)
    #expect(second.eventCounter == 2)
  }

  @Test("beginning at an older position counts what came since as one batch")
  func beginsEarlier() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    for _ in 1...3 {
      try await observed.write(author: "app") {
        try $0.execute("INSERT INTO tasks DEFAULT VALUES")
      }
    }
    let since = try await HistoryObserver(store: observed, after: .after(start))
    let oldest = try await HistoryObserver(store: observed, after: .oldest)
    let now = try await HistoryObserver(store: observed, after: .now)
    #expect(since.eventCounter == 1)
    #expect(oldest.eventCounter == 1)
    #expect(now.eventCounter == 0)
    #expect(try await since.currentToken == observed.state().head)
  }

  @Test("an expired, a foreign and a restored position are refused, each with its own error")
  func refusedPositions() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    var last = start
    for _ in 1...2 {
      last = try await observed.write(author: "app") {
        try $0.execute("INSERT INTO tasks DEFAULT VALUES")
      }
    }
    let outcome = try await observed.deleteHistory(through: last)
    #expect(outcome.transactions == 2)
    let oldest = try await observed.state().oldest
    let expired = await #expect(throws: HistoryError.self) {
      _ = try await HistoryObserver(store: observed, after: .after(start))
    }
    #expect(expired?.code == .historyTokenExpired)
    #expect(expired?.oldest == oldest)
    #expect(expired?.expiryReason == .trimmed)
    let foreign = HistoryToken(storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 0, check: 0)
    let refused = await #expect(throws: HistoryError.self) {
      _ = try await HistoryObserver(store: observed, after: .after(foreign))
    }
    #expect(refused?.code == .foreignToken)
    let rolledBack = HistoryToken(
      storeIdentifier: last.storeIdentifier, epoch: 1, sequence: last.sequence, check: 7)
    let restored = await #expect(throws: HistoryError.self) {
      _ = try await HistoryObserver(store: observed, after: .after(rolledBack))
    }
    #expect(restored?.expiryReason == .storeRestored)
  }

  @Test("a store restored under an observer is told, and it goes on after resynchronizing")
  func restored() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    try await observed.write(author: "app") { try $0.execute("INSERT INTO tasks(id) VALUES (1)") }
    let backup = try file.connection()
    try backup.execute("VACUUM INTO '\(file.directory.file("backup"))'")
    let observer = try await HistoryObserver(store: observed)
    try await observed.write(author: "app") { try $0.execute("INSERT INTO tasks(id) VALUES (2)") }
    #expect(observer.eventCounter == 1)
    // Restored as a backup program does it: page by page, through SQLite.
    let source = try Connection(path: file.directory.file("backup"), access: .readOnly)
    let target = try file.connection()
    try Backup.copy(from: source, into: target)
    for await error in Observations({ observer.error }) where error != nil { break }
    #expect(observer.error?.expiryReason == .storeRestored)
    await #expect(throws: HistoryError.self) {
      try await observer.waitUntil(observed.state().head)
    }
    let ids = try await observer.resynchronize { view in
      try view.rows("SELECT id FROM tasks").map { $0["id", as: Int.self] }
    }
    #expect(ids == [1])
    #expect(observer.error == nil)
    try target.execute("INSERT INTO tasks(id) VALUES (3)")
    try await observer.waitUntil(observed.state().head)
    #expect(observer.eventCounter == 2)
  }

  @Test("reading anew under writes, nothing that was read is told afterwards, and all else is")
  func readingAnewUnderWrites() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let writer = try StoreWriter(path: file.path)
    let writing = Task {
      for _ in 0..<300 {
        try await writer.write(author: "app") { try $0.execute("INSERT INTO notes DEFAULT VALUES") }
      }
    }
    let listener = Told()
    let interest = ChangeInterest()
    try await observed.hub.listen(listener, for: interest, after: .oldest)
    for _ in 0..<100 {
      let (rows, token) = try await observed.hub.takeOut(listener) { view in
        (try view.rows("SELECT count(*) AS n FROM notes")[0]["n", as: Int.self] ?? 0, view.token)
      }
      #expect(listener.changes <= rows)
      listener.begin(with: rows)
      try await observed.hub.listen(listener, for: interest, after: .after(token))
    }
    try await writing.value
    try await observed.waitUntil(observed.state().head)
    #expect(listener.changes == 300)
  }

  @Test("an observer whose resynchronizing fails goes on as it was")
  func failedResynchronizing() async throws {
    struct Failure: Error {}
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    await #expect(throws: Failure.self) {
      try await observer.resynchronize { _ in throw Failure() }
    }
    try await observed.write(author: "app") { try $0.execute("INSERT INTO notes VALUES (1)") }
    #expect(observer.eventCounter == 1)
    #expect(observer.error == nil)
  }

  @Test("a body is called for each batch as long as its token lives")
  func observing() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let (summaries, told) = AsyncStream.makeStream(of: HistorySummary.self)
    var iterator = summaries.makeAsyncIterator()
    let start = observer.currentToken
    let token = observer.observe { told.yield($0) }
    let end = try await observed.write(author: "app", context: "why") {
      try $0.execute("INSERT INTO tasks(id) VALUES (1), (2); INSERT INTO notes VALUES (1)")
    }
    let summary = try #require(await iterator.next())
    #expect(summary.since == start)
    #expect(summary.until == end)
    #expect(summary.transactions == 1)
    #expect(summary.changes == 3)
    #expect(summary.tables == ["tasks", "notes"])
    #expect(summary.authors == ["app"])
    token.cancel()
    try await observed.write(author: "app") { try $0.execute("DELETE FROM notes") }
    #expect(observer.eventCounter == 2)
    told.finish()
    #expect(await iterator.next() == nil)
  }

  @Test("the first body is told what was counted before there was one")
  func toldAfterwards() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    try await observed.write(author: "a") { try $0.execute("INSERT INTO notes VALUES (1)") }
    let observer = try await HistoryObserver(store: observed, after: .after(start))
    try await observed.write(author: "b") { try $0.execute("INSERT INTO notes VALUES (2)") }
    let (summaries, told) = AsyncStream.makeStream(of: HistorySummary.self)
    let token = observer.observe { told.yield($0) }
    var iterator = summaries.makeAsyncIterator()
    let summary = try #require(await iterator.next())
    #expect(summary.since == start)
    #expect(summary.authors == ["a", "b"])
    #expect(summary.until == observer.currentToken)
    token.cancel()
  }

  @Test("a slow body gets one summary of all that came meanwhile")
  func slowBody() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let slow = SlowBody(observer)
    let insert = "INSERT INTO tasks DEFAULT VALUES"
    try await observed.write(author: "a") { try $0.execute(insert) }
    let first = try #require(await slow.next())
    try await observed.write(author: "b") { try $0.execute(insert) }
    try await observed.write(author: "c") { try $0.execute(insert) }
    slow.goOn()
    let second = try #require(await slow.next())
    #expect(first.authors == ["a"])
    #expect(second.authors == ["b", "c"])
    #expect(second.since == first.until)
    slow.end()
  }

  @Test("what waited for a slow body before the store was read anew is not told afterwards")
  func slowBodyAndReadingAnew() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let slow = SlowBody(observer)
    let insert = "INSERT INTO tasks DEFAULT VALUES"
    try await observed.write(author: "a") { try $0.execute(insert) }
    #expect(await slow.next()?.authors == ["a"])
    try await observed.write(author: "b") { try $0.execute(insert) }
    let start = try await observer.resynchronize { $0.token }
    try await observed.write(author: "c") { try $0.execute(insert) }
    slow.goOn()
    let next = try #require(await slow.next())
    #expect(next.authors == ["c"])
    #expect(next.since == start)
    slow.end()
  }
}

/// A body that takes as long as a test likes.
private struct SlowBody {
  private let begun = AsyncStream.makeStream(of: HistorySummary.self)
  private let goOns = AsyncStream.makeStream(of: Void.self)
  private let token: ObservationToken

  init(_ observer: HistoryObserver) {
    token = observer.observe { [begun = begun.continuation, goOns = goOns.stream] summary in
      begun.yield(summary)
      for await _ in goOns { break }
    }
  }

  /// What it was called with next.
  func next() async -> HistorySummary? {
    for await summary in begun.stream { return summary }
    return nil
  }

  /// Lets the present call return.
  func goOn() { goOns.continuation.yield() }

  func end() {
    goOns.continuation.finish()
    token.cancel()
  }
}

/// Counts the changes that it is told of.
private final class Told: HistoryListener {
  private let count = Guarded(0)

  var changes: Int { count.withLock { $0 } }

  func begin(with changes: Int) { count.withLock { $0 = changes } }

  func changed(_ summary: HistorySummary) { count.withLock { $0 += summary.changes } }

  func passed(_ token: HistoryToken) {}

  func failed(_ error: HistoryError) {}
}
