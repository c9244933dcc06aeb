import EventLoop
import HistoryModel
import HistoryStore

extension StoreHub {
  /// How many rows of history are read before others on the loop get their turn.
  private static let pageSize = 1000

  /// Begins to follow the store from its head, unless that is done already.
  func beginFollowing() async throws(HistoryError) {
    let follower = try follower()
    if isStale { try startAfresh(follower) }
    guard tail == nil else { return }
    // Watching first: what is committed while the head is looked up is then not missed.
    try follower.start()
    let state = try await follower.patiently { () throws(HistoryError) in
      try follower.store.state()
    }
    guard !isEnding else { throw .observationEnded }
    // Somebody else may have come first meanwhile.
    guard tail == nil else { return }
    tail = try HistoryReader(follower.store, after: state.head)
    told = state.head
    following = Task { await follow(follower) }
  }

  private func follow(_ follower: StoreFollower) async {
    var isThere = true
    while isNeeded {
      do throws(HistoryError) {
        try await catchUp()
        // What is still open can be read for as long as it is wanted, with its name gone too.
        if isThere { become(.followed) }
      } catch {
        await recover(from: error)
      }
      guard isNeeded else { break }
      switch await follower.wait() {
      case .woken: break
      case .changed: isThere = true
      case .missing:
        isThere = false
        become(.missing)
      case .replaced:
        isThere = true
        await reopen(follower)
      }
    }
    hasEnded()
  }

  /// Reads everything up to the head, and tells everybody.
  ///
  /// - Throws: `HistoryError` when the store cannot be read.
  func catchUp() async throws(HistoryError) {
    let follower = try follower()
    var lastBreath = ContinuousClock.now
    while let tail {
      let state = try await follower.patiently {
        become(.locked)
      } _: { () throws(HistoryError) in
        try readPage(tail, follower)
      }
      guard state == .more else { break }
      guard lastBreath.duration(to: .now) >= .milliseconds(10) else { continue }
      try? await LoopTimer.sleep(for: .zero, on: executor)
      lastBreath = .now
    }
    try await refreshFeeds(follower)
  }

  /// Reads a page, and at the head tells everybody, without anything in between.
  private func readPage(
    _ reader: HistoryReader, _ follower: StoreFollower
  ) throws(HistoryError) -> ReadingState {
    var count = 0
    isBetweenPages = true
    let state = try reader.read { item in
      for audience in audiences { audience.meter.take(item, values: reader.values) }
      collector?.take(item, values: reader.values)
      for feed in feeds { feed.take(item, values: reader.values) }
      count += 1
      return count >= Self.pageSize || (count % 16 == 0 && follower.mustGiveWay) ? .pause : .goOn
    }
    switch state {
    case .more: break
    case .atHead, .atEnd:
      if let version = reader.versionAtHead {
        try tellDrift(version)
        follower.caughtUp(version)
      }
      tellEverybody()
    case .expired(let reason):
      // Another page may have come to the same end first.
      if reader === tail { try startOver(reason) }
    }
    return state
  }

  private func tellEverybody() {
    guard let token = tail?.token else { return }
    isBetweenPages = false
    for audience in audiences where token != told || !audience.meter.summary.isEmpty {
      audience.deliver(until: token)
    }
    if token != told, let batch = collector.take()?.batch(until: token) { wakeWaiters(batch) }
    told = token
    collector = waiters.isEmpty ? nil : BatchCollector(since: token)
    audiences.removeAll(where: \.isEmpty)
  }

  /// Has those who read by themselves read.
  private func refreshFeeds(_ follower: StoreFollower) async throws(HistoryError) {
    feeds.removeAll(where: \.isGone)
    for feed in feeds {
      try await follower.patiently { () throws(HistoryError) in try feed.refresh() }
    }
  }

  private func wakeWaiters(_ batch: HistoryBatch) {
    for number in waiters.keys.sorted() {
      guard let answer = waiters[number]?.take(batch) else { continue }
      waiters.removeValue(forKey: number)?.continuation.resume(returning: answer)
    }
  }

  /// Tells, as far as it has not been told, that capture does not keep up with the schema.
  private func tellDrift(_ version: StoreVersion) throws(HistoryError) {
    guard version.schema != toldSchema?.version else { return }
    let notices = try follower().store.tables(isThorough: false).flatMap(\.notices)
    // The first look learns how things are: those who observe begin with that schema.
    if let known = toldSchema?.notices {
      for notice in notices where !known.contains(notice) {
        for audience in audiences { audience.meter.take(notice, token: nil) }
      }
    }
    toldSchema = (version.schema, Set(notices))
  }
}

extension StoreHub {
  /// Goes on at the present head, and tells everybody that they cannot.
  private func startOver(_ reason: ExpiryReason) throws(HistoryError) {
    let store = try follower().store
    guard let state = try? store.state() else {
      isStale = true
      return fail(.historyTokenExpired(oldest: nil, reason: reason))
    }
    fail(.historyTokenExpired(oldest: state.oldest, reason: reason), at: state.head)
    try begin(store, at: state.head)
    for feed in feeds { feed.storeChanged(store) }
  }

  /// Goes on in what the path leads to now, where nobody follows any more what it led to before.
  private func startAfresh(_ follower: StoreFollower) throws(HistoryError) {
    try follower.reopen()
    if tail != nil { try begin(follower.store, at: follower.store.state().head) }
    isStale = false
  }

  /// Reads on from a position with which everything begins anew.
  private func begin(_ store: TrackedStore, at head: HistoryToken) throws(HistoryError) {
    tail = try HistoryReader(store, after: head)
    told = head
    toldSchema = nil
    isBetweenPages = false
  }

  /// Tells everybody that they cannot go on.
  private func fail(_ error: HistoryError, at token: HistoryToken? = nil) {
    guard let position = token ?? told else { return }
    for audience in audiences { audience.fail(error, at: position) }
    audiences = []
    collector = nil
    let waiting = waiters.sorted { $0.key < $1.key }
    waiters = [:]
    for (_, waiter) in waiting { waiter.continuation.resume(returning: .failed(error)) }
    if token == nil || error.expiryReason == .storeReplaced {
      for feed in feeds { feed.closed(error) }
      feeds = []
    }
  }

  /// Reading failed for another reason than a lock.
  private func recover(from error: HistoryError) async {
    guard error.code == .temporary, !isEnding else { return fail(error) }
    // A full disk or a failing one may recover; meanwhile it is tried once a second.
    try? await LoopTimer.sleep(for: .seconds(1), on: executor)
    nudge()
  }

  /// Another file was moved over the path: goes on in it if it is the same store further on.
  private func reopen(_ follower: StoreFollower) async {
    do throws(HistoryError) {
      try follower.reopen()
      isStale = false
      let store = follower.store
      guard let token = tail?.token else { return }
      switch try store.resolve(.after(token)).position {
      case .usable:
        tail = try HistoryReader(store, after: token)
        for feed in feeds { feed.storeChanged(store) }
      case .expired(_, let reason):
        try startOver(reason)
      }
    } catch {
      switch error.code {
      case .foreignToken:
        try? startOver(.storeReplaced)
      case .temporary:
        // It is still being written, or locked: look again.
        try? await LoopTimer.sleep(for: .milliseconds(50), on: executor)
      case .notTracked:
        isStale = true
        fail(.historyTokenExpired(oldest: nil, reason: .storeReplaced))
      default:
        isStale = true
        fail(error)
      }
    }
  }
}
