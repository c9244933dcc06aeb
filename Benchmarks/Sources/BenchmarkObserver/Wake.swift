import HistoryKit
import Observation

/// Notes when an observer told of each commit of a writer in another process, who makes one untagged
/// insert a commit.
struct Wake {
  private let path: String
  private let count: Int
  private let isByCounter: Bool

  init(path: String, _ arguments: Arguments) {
    self.path = path
    count = arguments.number("count", default: 100)
    isByCounter = arguments.text("by") == "counter"
  }

  /// Prints `ready`, and a number and the time for each commit.
  func run() async throws {
    let store = try ObservedStore(path: path)
    let observer = try await HistoryObserver(store: store, observedTables: ["tasks"])
    let (seen, sink) = AsyncStream.makeStream(of: (number: Int, time: Int64).self)
    var observation: ObservationToken?
    // Each commit is one row of history, so that the position says how many there were.
    let start = observer.currentToken.sequence
    let number = { @Sendable (token: HistoryToken) in Int(token.sequence - start) }
    if isByCounter {
      Self.track(observer) { sink.yield((number(observer.currentToken), Meter.now())) }
    } else {
      observation = observer.observe { sink.yield((number($0.until), Meter.now())) }
    }
    Meter.say("ready")
    var told = 0
    var lines = ""
    for await (number, time) in seen {
      // Several commits may be told at once.
      while told < number {
        told += 1
        lines += "\(told) \(time)\n"
      }
      if told >= count { break }
    }
    print(lines, terminator: "")
    observation?.cancel()
  }

  /// Calls a body when `eventCounter` has changed, as a view does that shows it.
  private static func track(
    _ observer: HistoryObserver, _ body: @escaping @Sendable () -> Void
  ) {
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      body()
      track(observer, body)
    }
  }
}
