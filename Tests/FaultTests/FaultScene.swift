import HistoryModel
import HistoryStore
import HistoryTestSupport
import SQLite

/// A directory with a store, and whatever else a subject needs.
struct FaultScene: Sendable {
  /// A value that is stored, and that no error may show.
  static let secret = "Sieglinde-4711"
  /// The tables of the store.
  static let schema = """
    CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT UNIQUE, done DEFAULT 0);
    CREATE TABLE notes(body);
    INSERT INTO tasks VALUES (1, '\(secret)', 0), (2, 'two', 0), (3, 'three', 1);
    INSERT INTO notes VALUES ('\(secret)'), (x'00')
    """

  let directory: TemporaryDirectory
  /// The path of the store.
  var path: String { directory.file("store.db") }
  /// The path of another store, or of a backup.
  var other: String { directory.file("other.db") }

  init() throws { directory = try TemporaryDirectory(isVolatile: true) }

  /// Makes the store in its first state, with some history where it is tracked.
  func fill(_ journal: TemporaryStore.Journal, isTracked: Bool) async throws {
    let connection = try Connection(creating: path)
    try connection.execute("PRAGMA journal_mode = \(journal.rawValue)")
    try connection.execute(Self.schema)
    if isTracked {
      try Tracker(opened()).track(Tracker.Request())
      try await write("UPDATE tasks SET done = 1 WHERE id = 2; INSERT INTO notes VALUES (3)")
      try connection.execute("UPDATE tasks SET done = 0 WHERE id = 3")
      try await write("DELETE FROM notes WHERE body = x'00'", author: "widget")
    }
    try connection.close()
  }

  /// Opens the store for its history, without waiting for anybody.
  func opened(_ access: Connection.Access = .readWrite) throws -> TrackedStore {
    try TrackedStore(path: path, access: access, busyTimeout: 0)
  }

  /// Writes to the store as one transaction.
  func write(_ sql: String, author: String = "app") async throws {
    let writer = try StoreWriter(path: path, busyTimeout: 0)
    try await writer.write(author: author) { try $0.execute(sql) }
  }
}

/// Something that an operation did, though it said nothing of a failure.
struct WrongResult: Error, CustomStringConvertible {
  let description: String
}
