import HistoryKit

/// Times commits that make a query run beside commits that do not, in turns.
struct Refetch {
  private struct Row: Decodable, Sendable {
    var id: Int
    var title: String?
    var priority: Int?
    var score: Double?
  }

  private let path: String
  private let rows: Int
  private let rounds: Int

  init(path: String, _ arguments: Arguments) {
    self.path = path
    rows = arguments.number("rows", default: 100)
    rounds = arguments.number("rounds", default: 20)
  }

  /// Prints nanoseconds of processor time for each round: a commit that the query reads, one that
  /// it does not read, and the query alone.
  func run() async throws {
    let store = try ObservedStore(path: path)
    let query = "SELECT id, title, priority, score FROM tasks WHERE id <= \(rows) ORDER BY id"
    let observer = try await ResultsObserver<Row>(store: store, query: query, key: ["id"])
    var lines = ""
    for round in 0..<rounds {
      let first = Meter.processorTime()
      let row = round % rows + 1
      try await store.write(author: "benchmark") {
        try $0.run("UPDATE tasks SET priority = priority + 1 WHERE id = \(row)")
      }
      let second = Meter.processorTime()
      try await store.write(author: "benchmark") {
        try $0.run("UPDATE settings SET value = value + 1")
      }
      let third = Meter.processorTime()
      let count = try await store.read { try $0.rows(query).count }
      let fourth = Meter.processorTime()
      precondition(count == observer.results.count)
      lines += "\(second - first) \(third - second) \(fourth - third)\n"
    }
    print(lines, terminator: "")
  }
}
