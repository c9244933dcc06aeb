import EventLoop
import HistoryModel
import HistoryStore

extension StoreHub {
  /// The follower, with the file open that the path leads to now.
  ///
  /// The watch finds another file too, but a moment later, and not while nobody observes.
  func current() async throws(HistoryError) -> StoreFollower {
    let follower = try follower()
    if follower.isReplaced {
      try await follower.patiently { () throws(HistoryError) in try move(follower) }
    }
    return follower
  }

  /// Opens the file that the path leads to.
  private func move(_ follower: StoreFollower) throws(HistoryError) {
    try follower.reopen()
    moving = moving ?? tail?.token
  }

  /// Goes on in another file if it is the same store further on.
  func goOn(at token: HistoryToken, in store: TrackedStore) throws(HistoryError) {
    switch try expiry(of: token, in: store) {
    case nil:
      tail = try HistoryReader(store, after: token)
      // The transaction that the last reader was in comes again from its beginning.
      for audience in audiences { audience.meter.dropUnfinished() }
      collector?.dropUnfinished()
      for feed in feeds { feed.storeChanged(store) }
    case let reason?:
      try startOver(reason)
    }
    moving = nil
  }

  private func expiry(
    of token: HistoryToken, in store: TrackedStore
  ) throws(HistoryError) -> ExpiryReason? {
    do throws(HistoryError) {
      guard case .expired(_, let reason) = try store.resolve(.after(token)).position else {
        return nil
      }
      return reason
    } catch {
      guard let reason = error.lossReason else { throw error }
      return reason
    }
  }

  /// Goes on at the present head, and tells everybody that they cannot.
  func startOver(_ reason: ExpiryReason) throws(HistoryError) {
    let store = try follower().store
    let state: StoreState
    let reader: HistoryReader
    do throws(HistoryError) {
      state = try store.state()
      reader = try HistoryReader(store, after: state.head)
    } catch {
      if error.passesByItself { throw error }
      return fail(.historyTokenExpired(oldest: nil, reason: reason))
    }
    fail(.historyTokenExpired(oldest: state.oldest, reason: reason), at: state.head)
    tail = reader
    told = state.head
    for feed in feeds { feed.storeChanged(store) }
  }

  /// Tells everybody that they cannot go on.
  ///
  /// - Parameters:
  ///   - error: Why.
  ///   - token: Where whoever comes later can begin; nil where the store cannot be read.
  private func fail(_ error: HistoryError, at token: HistoryToken? = nil) {
    generation += 1
    if let position = token ?? told {
      for audience in audiences { audience.fail(error, at: position) }
      for feed in feeds { feed.positionsExpired(error, at: position) }
    }
    audiences = []
    collector = nil
    lastBatch = nil
    pausedReaders = PausedReaders()
    isBetweenPages = false
    toldSchema = nil
    let waiting = waiters.sorted { $0.key < $1.key }
    waiters = [:]
    for (_, waiter) in waiting { waiter.continuation.resume(returning: .failed(error)) }
    guard token == nil || error.endsStore else { return }
    for feed in feeds { feed.closed(error) }
    feeds = []
    guard token == nil else { return }
    tail = nil
    told = nil
    moving = nil
    nudge()
  }

  /// Reading failed for another reason than a lock.
  func recover(from error: HistoryError) async {
    guard error.code == .temporary, !isEnding else {
      fail(error)
      // Whoever is arriving needs the store until he has been thrown the same, for which he needs a
      // turn: nothing that failed at once has given him one.
      return await pause(for: .zero)
    }
    // A full disk or a failing one may recover; meanwhile it is tried once a second.
    try? await LoopTimer.sleep(for: .seconds(1), on: executor)
    nudge()
  }

  /// Another file was moved over the path.
  func reopen(_ follower: StoreFollower) async {
    do throws(HistoryError) {
      try await follower.patiently {
        become(.locked)
      } _: { () throws(HistoryError) in
        try move(follower)
      }
    } catch {
      switch error.code {
      case .temporary:
        // It is still being written: look again.
        try? await LoopTimer.sleep(for: .milliseconds(50), on: executor)
      case .notTracked:
        fail(.historyTokenExpired(oldest: nil, reason: .storeReplaced))
      default:
        // One that is gone again is waited for.
        if follower.isThere { fail(error) }
      }
    }
  }
}

extension HistoryError {
  /// Whether the store that was observed is no more, whatever is at its path now.
  fileprivate var endsStore: Bool {
    switch expiryReason {
    case .storeReplaced, .historyDropped: true
    case .trimmed, .storeRestored, nil: false
    }
  }
}
