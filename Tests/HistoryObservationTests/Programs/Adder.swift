import EventLoop
import HistoryModel
import HistoryObservation

/// Adds up what it is told.
final class Adder: HistoryListener {
  struct State {
    var changes = 0
    var until: HistoryToken?
    var error: HistoryError?
    var holes = 0
  }

  let start: Int64
  let state = Guarded(State())

  init(after start: Int64) { self.start = start }

  func changed(_ summary: HistorySummary) {
    state.withLock { state in
      if let until = state.until, until != summary.since { state.holes += 1 }
      state.changes += summary.changes
      state.until = summary.until
    }
  }

  func passed(_ token: HistoryToken) { state.withLock { $0.until = token } }

  func failed(_ error: HistoryError) { state.withLock { $0.error = error } }
}
