import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Everything at once that may happen to one store in one process, with rows that say themselves
/// what was committed before them; for Thread Sanitizer as much as for what it asks.
@Suite("A chain of commits under load", .timeLimit(.minutes(3)))
struct CommitChainTests {
  private static let writers = 6
  private static let perWriter = 30

  @Test("each reader gets every commit in its order, or is told that it will not")
  func chain() async throws {
    let file = try TemporaryStore(
      sql: """
        CREATE TABLE links(place INTEGER PRIMARY KEY, parent INTEGER, writer TEXT);
        CREATE TABLE shape(id INTEGER PRIMARY KEY)
        """)
    try file.track()
    let observed = try ObservedStore(path: file.path)
    let start = try await observed.state().head
    let readers = (0..<4).map { _ in Task { try await Self.read(observed, after: start) } }
    try await withThrowingTaskGroup { group in
      for writer in 0..<Self.writers {
        group.addTask { try await Self.write(writer, file) }
      }
      group.addTask { try await Self.disturb(file) }
      try await group.waitForAll()
    }
    let last = try await observed.write(author: "last") { try $0.execute(Self.link("last")) }
    for reader in readers {
      let found = try await reader.value
      #expect(found.last == last)
      #expect(found.links > 0)
    }
  }

  private static func link(_ writer: String) -> String {
    """
    INSERT INTO links(place, parent, writer)
    SELECT coalesce(max(place), 0) + 1, max(place), '\(writer)' FROM links
    """
  }

  /// Writes under a name, or without one, and now and then takes it back.
  private static func write(_ writer: Int, _ file: TemporaryStore) async throws {
    let plain = try file.connection()
    plain.setBusyTimeout(milliseconds: 60_000)
    let store = try StoreWriter(path: file.path, busyTimeout: 60_000)
    for number in 0..<perWriter {
      if writer % 2 == 0 {
        try await store.write(author: "writer \(writer)") { try $0.execute(link("\(writer)")) }
      } else {
        try plain.execute("BEGIN IMMEDIATE; \(link("\(writer)"));")
        try plain.execute(number % 5 == 0 ? "ROLLBACK" : "COMMIT")
      }
      // Others want their turn; SQLite's busy handler is not fair.
      await Task.yield()
    }
  }

  /// Drops history, also unread, checkpoints, and changes a table's shape.
  private static func disturb(_ file: TemporaryStore) async throws {
    let store = try TrackedStore(path: file.path, access: .readWrite, busyTimeout: 60_000)
    let stranger = try file.connection()
    stranger.setBusyTimeout(milliseconds: 60_000)
    for number in 0..<15 {
      _ = try HistoryTrimmer(store).trim(keeping: .newest(5), isForced: true)
      _ = try stranger.row("PRAGMA wal_checkpoint(RESTART)")
      try stranger.execute("ALTER TABLE shape ADD COLUMN c\(number)")
      await Task.yield()
    }
  }

  /// Reads to the last link; begins anew where it was told that history was dropped.
  private static func read(
    _ store: ObservedStore, after start: HistoryToken
  ) async throws -> (links: Int, last: HistoryToken) {
    var position = start
    var place: Int64?
    var links = 0
    while true {
      do {
        for try await transaction in store.transactions(after: position) {
          position = transaction.token
          for change in transaction.changes {
            let next = try #require(change.after["place", as: Int64.self])
            if let place { #expect(next == place + 1, "nothing said why") }
            place = next
            links += 1
          }
          if transaction.author == "last" { return (links, position) }
        }
      } catch let error as HistoryError where error.code == .historyTokenExpired {
        #expect(error.expiryReason == .trimmed)
        position = try #require(error.oldest)
        place = nil
      }
    }
  }
}
