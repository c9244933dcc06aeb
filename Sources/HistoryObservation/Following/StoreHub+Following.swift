import EventLoop
import HistoryModel
import HistoryStore

extension StoreHub {
  /// How many rows of history are read before others on the loop get their turn.
  private static let pageSize = 1000

  /// How long to follow on when nobody needs it: who takes what he was given comes back for more,
  /// and beginning anew costs more than any commit.
  private static let patience = Duration.milliseconds(100)

  /// Begins to follow the store from its head, unless that is done already.
  func beginFollowing() async throws(HistoryError) {
    guard tail == nil else { return }
    let follower = try await current()
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
    // Where the store could not be read on, the loop is still there. With the preference an `await`
    // that can return at once does, and is not queued anew.
    if following == nil { following = Task(executorPreference: executor) { await self.follow() } }
  }

  private func follow() async {
    guard let follower = try? follower() else { return hasEnded() }
    var isThere = true
    while true {
      await waitForUse(follower)
      guard isNeeded else { break }
      do throws(HistoryError) {
        try await beginFollowing()
        try await catchUp()
        // What is still open can be read for as long as it is wanted, with its name gone too.
        if isThere { become(.followed) }
      } catch {
        await recover(from: error)
      }
      guard isNeeded else { continue }
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

  /// Waits until somebody needs to know of commits, or nobody has for a while.
  private func waitForUse(_ follower: StoreFollower) async {
    let end = ContinuousClock.now + Self.patience
    while !isNeeded, !isEnding, case let rest = ContinuousClock.now.duration(to: end), rest > .zero
    {
      await follower.pause(for: rest)
    }
  }

  /// Reads everything up to the head, and tells everybody.
  ///
  /// - Throws: `HistoryError` when the store cannot be read.
  func catchUp() async throws(HistoryError) {
    let follower = try follower()
    do throws(HistoryError) {
      try await readToHead(follower)
      try await refreshFeeds(follower)
    } catch {
      // What it has read, the watch does not find any more.
      if Task.isCancelled { nudge() }
      throw error
    }
  }

  private func readToHead(_ follower: StoreFollower) async throws(HistoryError) {
    var lastBreath = ContinuousClock.now
    while tail != nil {
      let state = try await follower.patiently {
        become(.locked)
      } _: { () throws(HistoryError) in
        try readPage(follower)
      }
      guard state == .more else { break }
      await breathe(since: &lastBreath)
    }
  }

  /// Reads a page, and at the head tells everybody, without anything in between.
  private func readPage(_ follower: StoreFollower) throws(HistoryError) -> ReadingState {
    if let moving { try goOn(at: moving, in: follower.store) }
    // It may be another one than before the last page, or nobody needs one any more.
    guard let reader = tail else { return .atHead }
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
      try startOver(reason)
    }
    return state
  }

  private func tellEverybody() {
    guard let token = tail?.token else { return }
    isBetweenPages = false
    for audience in audiences where token != told || !audience.meter.summary.isEmpty {
      audience.deliver(until: token)
    }
    // Those who were told last may be on their way back.
    let areReaders = !waiters.isEmpty || hasReaders
    if token != told {
      lastBatch = collector.take()?.batch(until: token)
      if let lastBatch { wakeWaiters(lastBatch) }
      hasReaders = false
    }
    told = token
    collector = areReaders ? BatchCollector(since: token) : nil
    audiences.removeAll(where: \.isEmpty)
    for feed in feeds { feed.caughtUp(at: token) }
  }

  /// Has those who read by themselves read.
  private func refreshFeeds(_ follower: StoreFollower) async throws(HistoryError) {
    feeds.removeAll(where: \.isGone)
    var lastBreath = ContinuousClock.now
    for feed in feeds {
      try await follower.patiently { () throws(HistoryError) in try feed.refresh() }
      await breathe(since: &lastBreath)
    }
  }

  /// Lets others on the loop have their turn, unless they had one a moment ago.
  private func breathe(since last: inout ContinuousClock.Instant) async {
    guard last.duration(to: .now) >= .milliseconds(10) else { return }
    try? await LoopTimer.sleep(for: .zero, on: executor)
    last = .now
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
        for feed in feeds { feed.take(notice) }
      }
    }
    toldSchema = (version.schema, Set(notices))
    if !notices.isEmpty { foundDrift?() }
  }
}
