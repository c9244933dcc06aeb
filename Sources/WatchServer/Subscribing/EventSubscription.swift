package import EventLoop
package import HistoryModel
package import HistoryObservation
import HistoryStore

/// One reader of a store's history: from a position on, as lines, until it ends.
///
/// While its reader keeps up it is handed lines that were encoded once for all who want the same
/// ones. One that does not is left behind with nothing but its position, and reads by itself from
/// there until it has caught up. It lives on the loop.
package actor EventSubscription: Subscription {
  package nonisolated let executor: LoopExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  let request: StreamRequest
  let hub: StoreHub
  let sink: any LineSink
  let gate: LoopGate
  private var pace: StreamPace<HistoryToken>
  /// The position up to which everything was sent.
  var position: HistoryToken?
  /// Whether it is handed lines, and does not read by itself.
  var isLive = false
  /// Why it was handed an end.
  private var failure: HistoryError?
  var ending: Ending?
  private var opening: Opening?
  private var shownTransactions = 0
  private var toldNotices: Set<CaptureNotice> = []
  private let birth = ContinuousClock.now
  /// A moment that the bookmarks of all subscriptions count from.
  private static let origin = ContinuousClock.now

  /// Why it ends.
  struct Ending {
    /// What its last line says; nil for no such line.
    var reason: ByeReason?
    /// What failed, for an error.
    var error: HistoryError?
  }

  /// Makes a subscription that has not begun.
  ///
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - hub: The store.
  ///   - sink: Where the lines go.
  /// - Throws: ``EventLoop/LoopError`` if libuv refuses.
  package init(_ request: StreamRequest, of hub: StoreHub, to sink: any LineSink) throws(LoopError)
  {
    self.request = request
    self.hub = hub
    self.sink = sink
    executor = hub.executor
    gate = try LoopGate(on: hub.executor)
    pace = StreamPace(
      timeout: request.timeout, bookmarkInterval: request.bookmarkInterval, keepDelay: nil,
      now: .zero)
  }

  package var token: HistoryToken? { position }

  /// The lines that it asks for.
  var lineRequest: LineRequest { LineRequest(filter: request.filter, group: request.group) }

  /// How long it has been there.
  private var now: Duration { birth.duration(to: .now) }

  /// Settles where it begins.
  ///
  /// - Parameter consumer: The consumer of the store whose position it begins at; nil for none.
  /// - Throws: ``HistoryModel/HistoryError`` when it cannot begin.
  package func open(consumer: String? = nil) async throws(HistoryError) {
    opening = try await settle(consumer)
  }

  /// Runs to the end.
  ///
  /// Once, after it was opened.
  package func run() async {
    alignBookmarks()
    do throws(HistoryError) {
      if let opening = opening.take() { try await take(opening) }
      if request.limit == 0 { end(.limit) }
      while ending == nil {
        do throws(HistoryError) {
          if isLive { await wait() } else { try await catchUp() }
          if let failure = failure.take() { throw failure }
        } catch {
          try await expire(error)
        }
      }
    } catch {
      // A reader is told why it ends, whatever it was, and what to do about it.
      if ending == nil {
        ending = Ending(reason: .error, error: error)
      }
    }
    stopBeingHanded()
    await sayGoodbye()
  }

  package func end(_ reason: ByeReason?) {
    guard ending == nil else { return }
    ending = Ending(reason: reason)
    gate.open()
  }

  /// Sends lines, and waits until there is room for them.
  ///
  /// - Returns: False when nobody is there any more, or it was ended meanwhile.
  func send(_ lines: EncodedLines) async -> Bool {
    while ending == nil {
      switch sink.offer(lines) {
      case .taken: return true
      case .gone: end(nil)
      case .full: if await !sink.room() { end(nil) }
      }
    }
    return false
  }

  /// Sends a page that it read by itself.
  func send(page: LinePage) async {
    let page = limited(page)
    if !page.lines.isEmpty {
      guard await send(page.lines) else { return }
      pace.shown(now: now)
    }
    advance(over: page)
  }

  /// Rows of a snapshot went out.
  func shownRows() { pace.shown(now: now) }

  /// As much of a page as may still be shown.
  private func limited(_ page: LinePage) -> LinePage {
    guard let limit = request.limit else { return page }
    return page.prefix(transactions: limit - shownTransactions)
  }

  private func advance(over page: LinePage) {
    position = page.until
    shownTransactions += page.lines.transactionCount
    toldNotices.formUnion(page.drift)
    if let limit = request.limit, shownTransactions >= limit {
      end(.limit)
    } else if page.hasPassedOver {
      bookmark()
    }
  }

  /// Waits while it is handed lines.
  private func wait() async {
    guard let position else { return }
    _ = await gate.wait(for: pace.wait(position, now: now))
    guard ending == nil, isLive, let position = self.position else { return }
    for action in pace.due(position, now: now) {
      switch action {
      case .timeOut: end(.timeout)
      case .bookmark: bookmark()
      case .keep: break
      }
    }
  }

  private func bookmark() {
    guard let position else { return }
    var lines = LineEncoder()
    lines.bookmark(position)
    // For one that is full there will be another.
    if sink.offer(EncodedLines(lines.bytes, resumableAt: position)) == .gone { end(nil) }
    alignBookmarks()
  }

  /// Counts from the last multiple of the interval, so that all subscriptions wake the loop together.
  private func alignBookmarks() {
    guard let interval = request.bookmarkInterval, interval > .zero else { return }
    let uptime = Self.origin.duration(to: .now)
    pace.bookmarked(now: now - (uptime - interval * Int(uptime / interval)))
  }

  private func sayGoodbye() async {
    guard let ending, let reason = ending.reason else { return }
    var lines = LineEncoder()
    if let error = ending.error {
      lines.bytes = AnswerLine.error(error, to: RequestEnvelope(operation: "subscribe"))
    }
    lines.bye(reason, message: ending.error?.message, token: position)
    await sink.sendLast(EncodedLines(lines.bytes))
  }
}

extension EventSubscription: LineReceiver {
  package nonisolated func received(_ page: LinePage) { assumeIsolated { $0.take(page) } }

  package nonisolated func mustRead() { assumeIsolated { $0.fallBehind() } }

  package nonisolated func failed(_ error: HistoryError) {
    assumeIsolated {
      $0.failure = error
      $0.isLive = false
      $0.gate.open()
    }
  }

  private func take(_ all: LinePage) {
    guard isLive, ending == nil, let position else { return }
    // Where it stands in the middle of a run of untagged changes only a reader can go on.
    guard let rest = all.after(position) else { return fallBehind() }
    let page = limited(rest)
    if !page.lines.isEmpty {
      switch sink.offer(page.lines) {
      case .taken: pace.shown(now: now)
      case .full: return fallBehind()
      case .gone: return end(nil)
      }
    }
    advance(over: page)
  }

  /// Reads by itself from here on.
  private func fallBehind() {
    stopBeingHanded()
    gate.open()
  }

  func stopBeingHanded() {
    guard isLive else { return }
    isLive = false
    hub.assumeIsolated { $0.leave(self) }
  }

  /// Tells what is amiss with capture, as far as it was not told.
  func tell(_ drift: [CaptureNotice]) async {
    let news = drift.filter {
      request.filter.matches(table: $0.table) && !toldNotices.contains($0)
    }
    guard !news.isEmpty else { return }
    toldNotices.formUnion(news)
    var lines = LineEncoder()
    for notice in news { lines.notice(notice, token: nil) }
    _ = await send(EncodedLines(lines.bytes))
  }
}
