import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@Suite("History errors")
struct HistoryErrorTests {
  /// A value that stands in the store and must stand in no error.
  private static let secret = "S3CR3T"

  @Test("no error repeats a stored value or a value given to a statement")
  func secrets() async throws {
    let store = try TemporaryStore(
      sql: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT UNIQUE CHECK (a <> 'no'), n INT NOT NULL);
        CREATE TABLE s(id INTEGER PRIMARY KEY, n INTEGER) STRICT;
        CREATE TABLE c(p REFERENCES t(id));
        INSERT INTO t VALUES (1, '\(Self.secret)', 1), (2, 'b', 2);
        """)
    try store.track()
    let writer = try StoreWriter(path: store.path, foreignKeys: true)
    let statements: [(String, [StoredValue])] = [
      ("INSERT INTO t VALUES (3, ?, 1)", [.text(Self.secret)]),
      ("INSERT INTO t VALUES (4, ?, NULL)", [.text(Self.secret)]),
      ("UPDATE t SET a = 'no' WHERE a = ?", [.text(Self.secret)]),
      ("INSERT INTO s VALUES (1, ?)", [.text(Self.secret)]),
      ("INSERT INTO t(id, n) VALUES (?, 1)", [.text(Self.secret)]),
      ("INSERT INTO c VALUES (?)", [.text(Self.secret)]),
      ("SELECT json(a), ? FROM t", [.text(Self.secret)]),
      ("SELECT abs(-9223372036854775807 - 1), ? FROM t", [.text(Self.secret)]),
      ("SELECT count(a, ?) FROM t", [.text(Self.secret)]),
    ]
    for (sql, arguments) in statements {
      let error = await #expect(throws: HistoryError.self, "\(sql)") {
        try await writer.write(author: "app") { _ = try $0.rows(sql, arguments[0]) }
      }
      guard let error else { continue }
      #expect(error.code == .statementFailed)
      #expect(!"\(error)".contains(Self.secret))
      #expect(
        !"\(error.message)\(error.hint ?? "")\(error.cause.map { "\($0)" } ?? "")".contains(
          Self.secret))
    }
  }

  /// What fails, how, and by which code.
  struct Failure: Sendable, CustomTestStringConvertible {
    let name: String
    let code: HistoryError.Code
    let body: @Sendable (TemporaryStore) throws -> Void
    var testDescription: String { name }
  }

  static let failures = [
    Failure(name: "no file", code: .storeUnavailable) { store in
      _ = try TrackedStore(path: store.directory.file("none"), access: .readWrite)
    },
    Failure(name: "a directory", code: .storeUnavailable) { store in
      _ = try TrackedStore(path: store.directory.path, access: .readWrite)
    },
    Failure(name: "not a database", code: .storeUnavailable) { _ in
      _ = try TrackedStore(path: #filePath, access: .readOnly).state()
    },
    Failure(name: "not tracked", code: .notTracked) { store in _ = try store.opened().state() },
    Failure(name: "nothing to track", code: .storeUnavailable) { store in
      try store.connection().execute("DROP TABLE t; DROP TABLE h")
      try store.track()
    },
    Failure(name: "no such table", code: .untrackable) { store in try store.track("none") },
    Failure(name: "hidden rowid", code: .untrackable) { store in try store.track("h") },
    Failure(name: "not captured", code: .untrackable) { store in
      try store.track("t")
      _ = try Untracker(store.opened()).untrack(["h"])
    },
    Failure(name: "locked", code: .temporary) { store in
      let other = try store.connection()
      try other.execute("BEGIN IMMEDIATE")
      try store.track()
    },
    Failure(name: "foreign token", code: .foreignToken) { store in
      try store.track("t")
      let foreign = HistoryToken(
        storeIdentifier: StoreIdentifier(), epoch: 1, sequence: 0, check: 0)
      _ = try store.opened().resolve(.after(foreign))
    },
    Failure(name: "expired token", code: .historyTokenExpired) { store in
      try store.track("t")
      let tracked = try store.opened()
      let oldest = try tracked.state().oldest
      let wrong = HistoryToken(
        storeIdentifier: oldest.storeIdentifier, epoch: 1, sequence: 5, check: 0)
      _ = try Consumers(tracked).create("a", at: .after(wrong))
    },
    Failure(name: "no such consumer", code: .noSuchConsumer) { store in
      try store.track("t")
      try Consumers(store.opened()).remove("none")
    },
    Failure(name: "a consumer twice", code: .usage) { store in
      try store.track("t")
      let consumers = Consumers(try store.opened())
      for _ in 0..<2 { _ = try consumers.create("a", at: .now) }
    },
    Failure(name: "unknown layout", code: .unknownLayout) { store in
      try store.track("t")
      try store.connection().execute("UPDATE _history_store SET value = 99 WHERE key = 'layout'")
      _ = try store.opened().state()
    },
    Failure(name: "untracked after it was read", code: .notTracked) { store in
      try store.track("t")
      let opened = try store.opened()
      _ = try opened.state()
      try store.connection().execute(
        "DROP TABLE _history_store; DROP TABLE _history_table; DROP TABLE _history_column;"
          + "DROP TABLE _history_change")
      _ = try opened.state()
    },
    Failure(name: "a table of it dropped after it was read", code: .notTracked) { store in
      try store.track("t")
      let opened = try store.opened()
      _ = try opened.state()
      try store.connection().execute("DROP TABLE _history_column")
      _ = try opened.state()
    },
    Failure(name: "a damaged token", code: .invalidToken) { _ in _ = try HistoryToken("hw1.x") },
    Failure(name: "a shape that is gone", code: .notTracked) { store in
      try store.track("t")
      try store.connection().execute("INSERT INTO t VALUES (1); DELETE FROM _history_table")
      _ = try store.recorded()
    },
  ]

  @Test("each failure has its code, and says what to do", arguments: failures)
  func hint(failure: Failure) throws {
    let store = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); CREATE TABLE h(rowid, _rowid_, oid)")
    let error = #expect(throws: HistoryError.self) { try failure.body(store) }
    guard let error else { return }
    #expect(error.code == failure.code, "\(error)")
    #expect(error.hint?.isEmpty == false)
    // Two lines on standard error at most: each sentence is one, begins small and has no stop.
    for sentence in [error.message, error.hint ?? ""] {
      #expect(!sentence.contains("\n"))
      #expect(!sentence.hasSuffix("."))
    }
  }

  @Test("a history that lost tables says which, and the way out that it names is one")
  func lostTables() throws {
    let store = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try store.track("t")
    try store.connection().execute("DROP TABLE _history_column; DROP TABLE _history_table")
    let error = #expect(throws: HistoryError.self) { try store.opened().state() }
    #expect(
      error?.message
        == "the history is damaged: _history_table and _history_column are missing")
    #expect(error?.hint?.contains("untrack DB --drop-history") == true)
    _ = try Untracker(store.opened()).dropHistory()
    try store.track("t")
    _ = try store.opened().state()
  }

  @Test("a sentence and its hint are shown together")
  func description() {
    #expect("\(HistoryError(.usage, "it failed", hint: "do this"))" == "it failed - do this")
    #expect("\(HistoryError(.usage, "it failed"))" == "it failed")
    #expect("\(HistoryError.Code.historyTokenExpired)" == "historyTokenExpired")
  }
}
