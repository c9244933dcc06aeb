import HistoryKit

/// Times a write whose observers are told before it returns, beside one that tells nobody, in turns.
struct Writing {
  private let path: String
  private let bare: String
  private let count: Int
  private let observers: Int

  init(path: String, _ arguments: Arguments) {
    self.path = path
    bare = arguments.files.last ?? path
    count = arguments.number("count", default: 100)
    observers = arguments.number("observers", default: 1)
  }

  /// Prints nanoseconds by the clock for each pair of writes: with observers, and without.
  func run() async throws {
    let store = try ObservedStore(path: path)
    let writer = try StoreWriter(path: bare)
    var kept: [HistoryObserver] = []
    for _ in 0..<observers {
      kept.append(try await HistoryObserver(store: store, observedTables: ["tasks"]))
    }
    let insert = { @Sendable (transaction: WriteTransaction) throws in
      try transaction.run("INSERT INTO tasks(title, score) VALUES('own', 1.5)")
    }
    var lines = ""
    for _ in 0..<count {
      let first = Meter.now()
      try await store.write(author: "benchmark", insert)
      let second = Meter.now()
      try await writer.write(author: "benchmark", insert)
      lines += "\(second - first) \(Meter.now() - second)\n"
    }
    let told = kept.filter { $0.eventCounter == count }.count
    print(lines, "told \(told)", separator: "")
  }
}
