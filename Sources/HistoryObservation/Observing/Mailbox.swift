import EventLoop

/// Where what is new waits for whoever takes it, grown together into one value.
///
/// However slow he is, there is never more than one. It may be used from any thread.
package final class Mailbox<Value: Sendable>: Sendable {
  private struct State {
    var pending: Value?
    var isClosed = false
    var taker: CheckedContinuation<Value?, Never>?
  }

  private let state = Guarded(State())
  private let merge: @Sendable (inout Value, Value) -> Void

  /// Makes an empty mailbox.
  ///
  /// - Parameter merge: Grows what waits together with what comes.
  package init(merging merge: @escaping @Sendable (inout Value, Value) -> Void) {
    self.merge = merge
  }

  /// Puts in what is new.
  ///
  /// - Parameter value: What is new.
  package func put(_ value: Value) {
    let taker = state.withLock { state -> CheckedContinuation<Value?, Never>? in
      guard !state.isClosed else { return nil }
      if let taker = state.taker.take() { return taker }
      guard var pending = state.pending.take() else {
        state.pending = value
        return nil
      }
      merge(&pending, value)
      state.pending = pending
      return nil
    }
    taker?.resume(returning: value)
  }

  /// Takes out what there is, and waits for something if need be.
  ///
  /// One taker at a time.
  ///
  /// - Returns: What is new; nil once the mailbox is closed, also while the taker was being woken.
  package func take() async -> Value? {
    let value = await withCheckedContinuation { continuation in
      let answer = state.withLock { state -> Value?? in
        if state.isClosed { return .some(nil) }
        if let pending = state.pending.take() { return pending }
        state.taker = continuation
        return .none
      }
      if let answer { continuation.resume(returning: answer) }
    }
    return state.withLock { $0.isClosed ? nil : value }
  }

  /// Drops what waits.
  package func discard() { state.withLock { $0.pending = nil } }

  /// Closes the mailbox; what waits in it is dropped.
  package func close() {
    let taker = state.withLock { state in
      state.isClosed = true
      state.pending = nil
      return state.taker.take()
    }
    taker?.resume(returning: nil)
  }
}
