import HistoryKit

/// Reads a whole history as transactions.
struct CatchUp {
  private let path: String

  init(path: String, _ arguments: Arguments) {
    self.path = path
  }

  /// Prints how many transactions and changes there were, and nanoseconds of processor time.
  func run() async throws {
    let store = try ObservedStore(path: path)
    let state = try await store.state()
    let begin = Meter.processorTime()
    var (transactions, changes) = (0, 0)
    for try await transaction in store.transactions(after: state.oldest) {
      transactions += 1
      for change in transaction.changes where change.operation == .insert { changes += 1 }
      if transaction.token == state.head { break }
    }
    print(transactions, changes, Meter.processorTime() - begin)
  }
}
