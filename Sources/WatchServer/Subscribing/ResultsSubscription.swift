package import EventLoop
package import HistoryModel
package import HistoryObservation
import HistoryStore

/// One reader of the rows of a query, and of what changes in them, as lines. It lives on the loop.
///
/// Each difference is between the rows that were sent and the newest, so a slow reader gets fewer
/// and larger ones.
package actor ResultsSubscription: Subscription {
  package nonisolated let executor: LoopExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let hub: StoreHub
  private let sink: any LineSink
  private let gate: LoopGate
  private var oldest: HistoryToken?
  /// What was sent; nil before it runs.
  private var shown: ResultsLines?
  /// The newest rows, as long as they were not sent.
  private var pending: ResultsUpdate?
  private var isWaitingForRoom = false
  private var ending: (reason: ByeReason?, error: HistoryError?)?

  /// Makes a subscription that has not begun.
  ///
  /// - Parameters:
  ///   - hub: The store.
  ///   - sink: Where the lines go.
  /// - Throws: ``EventLoop/LoopError`` if libuv refuses.
  package init(of hub: StoreHub, to sink: any LineSink) throws(LoopError) {
    self.hub = hub
    self.sink = sink
    executor = hub.executor
    gate = try LoopGate(on: hub.executor)
  }

  package var token: HistoryToken? { shown?.shown?.token }

  /// Runs the query for the first time.
  ///
  /// - Parameter request: The query.
  /// - Throws: ``HistoryModel/HistoryError`` when it cannot be observed.
  package func open(_ request: ResultsRequest) async throws(HistoryError) {
    oldest = try await hub.storeState().oldest
    try await hub.observe(request, for: self)
  }

  /// Runs to the end.
  ///
  /// Once, after it was opened.
  ///
  /// - Parameter isFollowing: Whether it goes on after the first rows.
  package func run(isFollowing: Bool) async {
    shown = oldest.map { ResultsLines(oldest: $0) }
    send()
    while ending == nil {
      if isWaitingForRoom {
        let isThere = await sink.room()
        isWaitingForRoom = false
        if isThere { send() } else { end(nil) }
      } else if !isFollowing, pending == nil {
        end(.end)
      } else {
        _ = await gate.wait(for: nil)
      }
    }
    guard let ending, let reason = ending.reason else { return }
    var lines = LineEncoder()
    if reason == .error, let error = ending.error {
      lines.bytes = AnswerLine.error(error, to: RequestEnvelope(operation: "results"))
    }
    lines.bye(reason, message: reason == .error ? ending.error?.message : nil, token: token)
    await sink.sendLast(EncodedLines(lines.bytes))
  }

  package func end(_ reason: ByeReason?) { end(reason, error: nil) }

  private func end(_ reason: ByeReason?, error: HistoryError?) {
    guard ending == nil else { return }
    ending = (reason, error)
    gate.open()
  }

  /// Sends the newest rows, if there is room for them.
  private func send() {
    guard ending == nil, !isWaitingForRoom, let update = pending, var next = shown else { return }
    var lines = LineEncoder()
    next.show(update, in: &lines)
    if !lines.bytes.isEmpty {
      switch sink.offer(EncodedLines(lines.bytes, resumableAt: update.token)) {
      case .taken: break
      case .gone: return end(nil)
      case .full:
        isWaitingForRoom = true
        return gate.open()
      }
    }
    shown = next
    pending = nil
  }
}

extension ResultsSubscription: ResultsReceiver {
  package nonisolated func received(_ update: ResultsUpdate) -> Bool {
    assumeIsolated {
      $0.pending = update
      $0.send()
    }
    return true
  }

  package nonisolated func unchanged(at token: HistoryToken) {}

  package nonisolated func failed(_ error: HistoryError, isFinal: Bool) {
    // Rows that were sent stay good until the query can be run again.
    guard isFinal else { return }
    assumeIsolated {
      $0.end(error.code == .historyTokenExpired ? .expired : .error, error: error)
    }
  }
}
