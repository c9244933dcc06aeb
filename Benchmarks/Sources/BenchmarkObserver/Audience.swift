import HistoryKit

/// Commits one-row updates while many observe: all the same, or each a row of his own.
struct Audience {
  private let path: String
  private let observers: Int
  private let commits: Int
  private let isEach: Bool

  init(path: String, _ arguments: Arguments) {
    self.path = path
    observers = arguments.number("observers", default: 1)
    commits = arguments.number("commits", default: 100)
    isEach = arguments.text("interest") == "each"
  }

  /// Prints bytes per observer, nanoseconds of processor time per commit, and how many events were
  /// counted.
  func run() async throws {
    let store = try ObservedStore(path: path)
    // What is made once is made before the memory is looked at.
    let first = try await HistoryObserver(store: store, after: .now, interest: interest(0))
    try await update(store, 1)
    var kept: [HistoryObserver] = []
    kept.reserveCapacity(observers)
    let before = Meter.resident()
    for number in 1..<max(observers, 1) {
      kept.append(
        try await HistoryObserver(store: store, after: .now, interest: interest(number)))
    }
    let bytes = Meter.resident() - before
    let begin = Meter.processorTime()
    for number in 0..<commits { try await update(store, number) }
    let used = Meter.processorTime() - begin
    let events = kept.reduce(first.eventCounter) { $0 + $1.eventCounter }
    print(bytes / max(1, kept.count), used / Int64(max(1, commits)), events)
  }

  private func interest(_ number: Int) -> ChangeInterest {
    ChangeInterest(
      ChangeFilter(tables: ["tasks"]), rows: isEach ? ["tasks": Int64(number + 1)] : [:])
  }

  private func update(_ store: ObservedStore, _ number: Int) async throws {
    try await store.write(author: "benchmark") {
      try $0.run(
        "UPDATE tasks SET priority = priority + 1 WHERE id = ?", .integer(Int64(number % 1000 + 1)))
    }
  }
}
