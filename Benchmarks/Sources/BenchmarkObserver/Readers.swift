import HistoryKit

/// Commits while many wait for whole transactions, and waits for all of them after each commit.
struct Readers {
  private let path: String
  private let readers: Int
  private let commits: Int

  init(path: String, _ arguments: Arguments) {
    self.path = path
    readers = arguments.number("readers", default: 1)
    commits = arguments.number("commits", default: 100)
  }

  /// Prints bytes per reader, and nanoseconds of processor time and by the clock per commit.
  func run() async throws {
    let store = try ObservedStore(path: path)
    let start = try await store.state().head
    let (got, sink) = AsyncStream.makeStream(of: Int.self)
    var arrivals = got.makeAsyncIterator()
    let before = Meter.resident()
    let tasks = (0..<readers).map { _ in
      Task.detached {
        var count = 0
        for try await transaction in store.transactions(after: start) {
          count += transaction.changes.count
          sink.yield(count)
        }
      }
    }
    // The first commit warms up.
    try await Self.insert(store)
    for _ in 0..<readers { _ = await arrivals.next() }
    var (used, taken) = (Int64(0), Int64(0))
    for _ in 0..<commits {
      let (processor, clock) = (Meter.processorTime(), Meter.now())
      try await Self.insert(store)
      for _ in 0..<readers { _ = await arrivals.next() }
      used += Meter.processorTime() - processor
      taken += Meter.now() - clock
    }
    let bytes = Meter.resident() - before
    print(bytes / max(1, readers), used / Int64(max(1, commits)), taken / Int64(max(1, commits)))
    for task in tasks { task.cancel() }
  }

  private static func insert(_ store: ObservedStore) async throws {
    try await store.write(author: "benchmark") {
      try $0.run("INSERT INTO tasks(title, score) VALUES('delivered', 1.5)")
    }
  }
}
