import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

/// Many of everything at once, for the sanitizers as much as for the counts.
@Suite("Observation under load", .timeLimit(.minutes(5)))
struct ObservationLoadTests {
  private static let writers = 8
  private static let perWriter = 25

  @Test("8 writers, 4 observers and 200 readers: everybody gets everything, once")
  func everybodyGetsEverything() async throws {
    let file = try TemporaryStore(
      sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, writer INTEGER, number INTEGER)")
    try file.track()
    let observed = try ObservedStore(path: file.path)
    var observers: [HistoryObserver] = []
    for number in 0..<4 {
      let authors: Set<String?> = number == 0 ? [] : ["writer \(number)"]
      observers.append(try await HistoryObserver(store: observed, authors: authors))
    }
    let counted = observers.map { observer in
      Counted(observer, until: observer.interest.filter.authors.isEmpty ? 200 : 25)
    }
    let start = try await observed.state().head
    let readers = (0..<200).map { number in
      let author = number % 2 == 0 ? nil : "writer \(number % Self.writers)"
      return Task { try await Self.read(observed, after: start, author: author) }
    }
    try await withThrowingTaskGroup { group in
      for writer in 0..<Self.writers {
        group.addTask {
          let store = try StoreWriter(path: file.path, busyTimeout: 60_000)
          for number in 0..<Self.perWriter {
            try await store.write(author: "writer \(writer)") {
              try $0.run("INSERT INTO t(writer, number) VALUES (\(writer), \(number))")
            }
            // Others want their turn; SQLite's busy handler is not fair.
            await Task.yield()
          }
        }
      }
      try await group.waitForAll()
    }
    for (number, reader) in readers.enumerated() {
      #expect(try await reader.value == Self.wanted(of: number % 2 == 0 ? nil : "one"))
    }
    for counted in counted { await counted.reached() }
    let head = try await observed.state().head
    for observer in observers {
      try await observer.waitUntil(head)
      #expect(observer.eventCounter >= 1)
      #expect(observer.currentToken == head)
    }
  }

  private static func wanted(of author: String?) -> Int {
    author == nil ? writers * perWriter : perWriter
  }

  /// Reads what there is to read; the changes of each writer come in the order in which it made
  /// them.
  private static func read(
    _ store: ObservedStore, after start: HistoryToken, author: String?
  ) async throws -> Int {
    let filter = author.map { ChangeFilter(authors: [$0]) } ?? ChangeFilter()
    var last = start
    var numbers = [Int](repeating: 0, count: writers)
    var count = 0
    for try await transaction in store.transactions(after: start, filter: filter) {
      #expect(transaction.token > last)
      last = transaction.token
      for change in transaction.changes {
        let writer = try #require(change.after["writer", as: Int.self])
        let number = change.after["number", as: Int.self]
        #expect(number == numbers[writer])
        numbers[writer] += 1
      }
      count += 1
      if count == wanted(of: author) { break }
    }
    return count
  }
}

/// Adds up.
private actor Total {
  private var count = 0

  func add(_ more: Int) -> Int {
    count += more
    return count
  }
}

/// Counts the transactions that an observer tells of.
private final class Counted: Sendable {
  private let token: ObservationToken
  private let done: AsyncStream<Void>

  init(_ observer: HistoryObserver, until wanted: Int) {
    let (done, finish) = AsyncStream.makeStream(of: Void.self)
    self.done = done
    let count = Total()
    token = observer.observe { summary in
      if await count.add(summary.transactions) >= wanted { finish.finish() }
    }
  }

  func reached() async { for await _ in done {} }
}
