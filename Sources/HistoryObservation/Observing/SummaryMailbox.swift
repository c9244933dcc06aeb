import EventLoop
import HistoryModel

/// Where summaries wait for whoever takes them, grown together into one.
///
/// However slow he is, there is never more than one. It may be used from any thread.
final class SummaryMailbox: Sendable {
  private struct State {
    var pending: HistorySummary?
    var isClosed = false
    var taker: CheckedContinuation<HistorySummary?, Never>?
  }

  private let state = Guarded(State())

  /// Puts in a summary of what followed.
  func put(_ summary: HistorySummary) {
    let taker = state.withLock { state -> CheckedContinuation<HistorySummary?, Never>? in
      guard !state.isClosed else { return nil }
      if let taker = state.taker.take() { return taker }
      if state.pending == nil { state.pending = summary } else { state.pending?.merge(summary) }
      return nil
    }
    taker?.resume(returning: summary)
  }

  /// Takes out what there is, and waits for something if need be.
  ///
  /// One taker at a time.
  ///
  /// - Returns: The summary; nil once the mailbox is closed.
  func take() async -> HistorySummary? {
    await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> HistorySummary?? in
        if state.isClosed { return .some(nil) }
        if let pending = state.pending.take() { return pending }
        state.taker = continuation
        return .none
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Closes the mailbox.
  func close() {
    let taker = state.withLock { state in
      state.isClosed = true
      state.pending = nil
      return state.taker.take()
    }
    taker?.resume(returning: nil)
  }
}
