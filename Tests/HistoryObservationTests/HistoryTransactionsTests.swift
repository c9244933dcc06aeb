import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Whole transactions, read on demand.
@Suite("History transactions", .timeLimit(.minutes(1)))
struct HistoryTransactionsTests {
  private func store(capture: Capture? = nil) throws -> TemporaryStore {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT, done INTEGER, note);
        CREATE TABLE notes(id INTEGER PRIMARY KEY)
        """)
    try store.track(capture: capture)
    return store
  }

  @Test("a change has typed values, what changed, and of a deleted row all that it was")
  func values() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    try await observed.write(author: "app", context: "new task") {
      try $0.run("INSERT INTO tasks(id, title, done) VALUES (?, ?, ?)", 7, "milk", 0)
      try $0.run("UPDATE tasks SET done = 1, note = x'00FF' WHERE id = 7")
      try $0.run("DELETE FROM tasks WHERE id = 7")
    }
    let page = try await observed.fetchHistory(HistoryDescriptor())
    let transaction = try #require(page.transactions.first)
    #expect(page.transactions.count == 1)
    #expect(!page.hasMore)
    #expect(page.token == transaction.token)
    #expect(transaction.author == "app")
    #expect(transaction.context == "new task")
    #expect(transaction.isTagged)
    #expect(transaction.timestamp != nil)
    #expect(transaction.storeIdentifier == page.token.storeIdentifier)
    let changes = Array(transaction.changes)
    try #require(changes.count == 3)
    #expect(changes.map(\.table) == ["tasks", "tasks", "tasks"])
    #expect(changes.map(\.index) == [0, 1, 2])
    #expect(changes[0].kind == .insert)
    #expect(changes[0].after["TITLE", as: String.self] == "milk")
    #expect(changes[0].after["done", as: Bool.self] == false)
    #expect(changes[0].after["note", as: String?.self] == .some(.none))
    #expect(changes[0].before.isEmpty)
    #expect(changes[1].kind == .update(changedColumns: ["done", "note"]))
    #expect(changes[1].before["done", as: Int.self] == 0)
    #expect(changes[1].after["note", as: [UInt8].self] == [0, 0xFF])
    #expect(changes[1].after["title"] == nil)
    #expect(changes[1].key["id", as: Int.self] == 7)
    guard case .delete(let tombstone) = changes[2].kind else {
      Issue.record("not a delete")
      return
    }
    #expect(tombstone["title", as: String.self] == "milk")
    #expect(tombstone.key["id", as: Int.self] == 7)
    #expect(tombstone.preservedColumns == ["id", "title", "done", "note"])
    #expect(changes[2].after.isEmpty)
  }

  @Test("--capture keys leaves only keys, and full leaves all columns of an update")
  func captures() async throws {
    for capture in [Capture.keys, .full] {
      let file = try store(capture: capture)
      let observed = try ObservedStore(path: file.path)
      try await observed.write(author: "app") {
        try $0.execute("INSERT INTO tasks(id) VALUES (1); UPDATE tasks SET done = 1")
      }
      let changes = try await observed.fetchHistory(HistoryDescriptor()).transactions[0].changes
      let update = try #require(changes.last)
      #expect(update.key["id", as: Int.self] == 1)
      switch capture {
      case .keys:
        #expect(update.kind == .update(changedColumns: []))
        #expect(update.after.isEmpty)
      default:
        #expect(update.kind == .update(changedColumns: ["done"]))
        #expect(update.after.columns == ["id", "title", "done", "note"])
      }
    }
  }

  @Test("pages hold what was asked for, and each goes on where the last ended")
  func pages() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    for id in 1...10 {
      try await observed.write(author: id % 2 == 0 ? "even" : "odd") {
        try $0.run("INSERT INTO tasks(id) VALUES (?)", .integer(Int64(id)))
      }
    }
    var descriptor = HistoryDescriptor(authors: ["even"], limit: 2)
    var ids: [Int?] = []
    var counts: [Int] = []
    while true {
      let page = try await observed.fetchHistory(descriptor)
      ids += page.transactions.map { $0.changes[0].key["id", as: Int.self] }
      counts.append(page.transactions.count)
      descriptor.after = .after(page.token)
      if !page.hasMore { break }
    }
    #expect(ids == [2, 4, 6, 8, 10])
    #expect(counts == [2, 2, 1])
    descriptor.limit = 0
    #expect(try await observed.fetchHistory(descriptor).transactions.isEmpty)
  }

  @Test("a sequence gives what was there and then what comes, each once and in order")
  func followed() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    for id in 1...3 {
      try await observed.write(author: "app") {
        try $0.run("INSERT INTO tasks(id) VALUES (?)", .integer(Int64(id)))
      }
    }
    let reading = Task {
      var ids: [Int] = []
      for try await transaction in observed.transactions(after: start) {
        ids += transaction.changes.compactMap { $0.key["id", as: Int.self] }
        if ids.count >= 40 { break }
      }
      return ids
    }
    let writer = try WriterProcess(path: file.path)
    for id in 4...40 {
      if id % 2 == 0 {
        // Untagged, so that looks may divide them anyhow.
        try writer.run("INSERT INTO tasks(id) VALUES (\(id))")
      } else {
        try await observed.write(author: "app") {
          try $0.run("INSERT INTO tasks(id) VALUES (?)", .integer(Int64(id)))
        }
      }
    }
    #expect(try await reading.value == Array(1...40))
  }

  @Test("filters hold for what was there and for what comes")
  func filtered() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(
      store: observed, observedTables: ["notes"], excludingAuthors: ["me"])
    let reading = Task {
      var keys: [Int?] = []
      for try await transaction in observer.transactions {
        keys += transaction.changes.map { $0.key["id", as: Int.self] }
        if keys.count == 2 { break }
      }
      return keys
    }
    for (author, id) in [("me", 1), ("you", 2), ("me", 3), ("you", 4)] {
      try await observed.write(author: author) {
        try $0.execute("INSERT INTO tasks DEFAULT VALUES; INSERT INTO notes VALUES (\(id))")
      }
    }
    #expect(try await reading.value == [2, 4])
  }

  @Test(
    "who comes back after one commit or after several gets each once", arguments: [true, false])
  func lateReader(othersWait: Bool) async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    let filter = ChangeFilter(tables: ["tasks"])
    var reader = observed.transactions(after: start, filter: filter).makeAsyncIterator()
    let other =
      othersWait ? Task { for try await _ in observed.transactions(after: start) {} } : nil
    var number = 0
    for commits in [1, 1, 2, 1, 3, 1] {
      for _ in 0..<commits {
        number += 1
        let title = "task \(number)"
        try await observed.write(author: "app") {
          try $0.run("INSERT INTO tasks(title) VALUES (?)", .text(title))
        }
        try await observed.write(author: "app") {
          try $0.execute("INSERT INTO notes DEFAULT VALUES")
        }
      }
      for late in (0..<commits).reversed() {
        let change = try await reader.next()?.changes.first
        #expect(change?.after["title", as: String.self] == "task \(number - late)")
      }
    }
    other?.cancel()
    try await other?.value
  }

  @Test("a transaction too large to be shared arrives whole all the same")
  func large() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    let reading = (0..<3).map { _ in
      Task {
        for try await transaction in observed.transactions(after: start) {
          return transaction.changes.count
        }
        return 0
      }
    }
    try await observed.write(author: "bulk") {
      try $0.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
        INSERT INTO tasks(id, title) SELECT i, 'a title of some length' FROM n
        """)
    }
    for task in reading { #expect(try await task.value == 30_000) }
  }

  @Test("trimming past a reader ends its sequence with the oldest position that is left")
  func trimmed() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    for id in 1...3 {
      try await observed.write(author: "app") {
        try $0.run("INSERT INTO tasks(id) VALUES (?)", .integer(Int64(id)))
      }
    }
    try await observed.deleteHistory(through: observed.state().head)
    var iterator = observed.transactions(after: start).makeAsyncIterator()
    let oldest = try await observed.state().oldest
    do {
      _ = try await iterator.next()
      Issue.record("it read over a hole")
    } catch let error as HistoryError {
      #expect(error.code == .historyTokenExpired)
      #expect(error.oldest == oldest)
    }
  }

  @Test("a cancelled reader ends, and so does one that waits")
  func cancelled() async throws {
    let file = try store()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    let (seen, sees) = AsyncStream.makeStream(of: Void.self)
    let reading = Task {
      var count = 0
      for try await _ in observed.transactions(after: start) {
        count += 1
        sees.yield()
      }
      return count
    }
    try await observed.write(author: "app") { try $0.execute("INSERT INTO notes VALUES (1)") }
    for await _ in seen { break }
    reading.cancel()
    #expect(try await reading.value == 1)
  }
}
