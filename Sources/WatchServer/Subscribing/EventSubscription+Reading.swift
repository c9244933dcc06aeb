import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore

extension EventSubscription {
  /// Settles where it begins.
  func settle(_ consumer: String?) async throws(HistoryError) -> Opening {
    var asked = request.since
    if let consumer { asked = .after(try await hub.position(ofConsumer: consumer)) }
    let (position, state) = try await hub.resolve(asked)
    var until: ResolvedPosition?
    if let end = request.until { until = try await hub.resolve(.after(end)).position }
    var isContinued = false
    if case .after = asked { isContinued = true }
    let steps = StreamOpening.steps(
      request, isContinued: isContinued, at: position, until: until, state)
    return Opening(steps: steps, state: state)
  }

  /// What is first to be done, or after an expiry.
  struct Opening {
    var steps: [StreamOpening.Step]
    var state: StoreState?
  }

  /// Does what is first to be done, or after an expiry.
  func take(_ opening: Opening) async throws(HistoryError) {
    for (place, step) in opening.steps.enumerated() {
      var lines = LineEncoder()
      switch step {
      case .hello(let resume, let token):
        guard let state = opening.state else { continue }
        lines.hello(resume, token: token, oldest: state.oldest, head: state.head)
        // Where something else follows, such as rows, nobody has what is before the position.
        let isStart = opening.steps[(place + 1)...].first == .start(token)
        guard await send(EncodedLines(lines.bytes, resumableAt: isStart ? token : nil)) else {
          return
        }
      case .expired(let requested, let reason):
        lines.expired(
          requested: requested, oldest: opening.state?.oldest, head: opening.state?.head,
          reason: reason)
        guard await send(EncodedLines(lines.bytes)) else { return }
      case .snapshot(let resume):
        guard let state = opening.state else { continue }
        guard let token = try await sendSnapshot(resume, state) else { return }
        position = token
      case .start(let token): position = token
      case .end(let reason): end(reason)
      }
    }
  }

  /// Deals with a position that cannot be used any more; any other error ends it.
  func expire(_ error: HistoryError) async throws(HistoryError) {
    guard ending == nil, let reason = Self.reason(of: error) else { throw error }
    let state = try? await hub.storeState()
    let steps = StreamOpening.steps(
      request, afterExpiryOf: position?.description ?? "", reason, state)
    try await take(Opening(steps: steps, state: state))
  }

  private static func reason(of error: HistoryError) -> ExpiryReason? {
    // A token of the store that was there before is a foreign one now.
    error.expiryReason ?? (error.code == .foreignToken ? .storeReplaced : nil)
  }

  /// Reads by itself until it has caught up, or ends.
  func catchUp() async throws(HistoryError) {
    if try await takeRecent() { return }
    guard let start = position else { return end(.end) }
    let cursor = try await hub.openLines(lineRequest, after: start, until: request.until)
    do throws(HistoryError) {
      try await read(cursor)
    } catch {
      await hub.closeLines(cursor)
      throw error
    }
    await hub.closeLines(cursor)
  }

  /// Takes what others were handed meanwhile, as long as it is still at hand.
  ///
  /// Many who fall behind together would otherwise each read and encode the same, and fall behind for
  /// good.
  ///
  /// - Returns: Whether it is handed lines from here on, or has ended.
  private func takeRecent() async throws(HistoryError) -> Bool {
    guard request.isFollowing, request.until == nil else { return false }
    var count = 0
    while ending == nil {
      guard await sink.room() else {
        end(nil)
        return true
      }
      guard ending == nil, let position else { break }
      if let page = recentLines(after: position) {
        await send(page: page)
        count += 1
        if count % 64 == 0 { await breathe() }
      } else if count > 0 {
        count = 0
        if try await joined() { return true }
      } else {
        return false
      }
    }
    return ending != nil
  }

  private func recentLines(after position: HistoryToken) -> LinePage? {
    let request = lineRequest
    return hub.assumeIsolated { $0.recentLines(request, after: position) }
  }

  private func read(_ cursor: Int) async throws(HistoryError) {
    while ending == nil {
      guard await sink.room() else { return end(nil) }
      guard ending == nil else { return }
      let (page, state) = try await hub.readLines(cursor)
      await send(page: page)
      guard ending == nil else { return }
      switch state {
      case .more: await breathe()
      case .atEnd: return end(.end)
      case .atHead:
        if try await joined() { return }
        // Whoever brings the others on needs a turn for it.
        await breathe()
      case .expired: break
      }
    }
  }

  /// Whether it is handed lines from here on, or has ended.
  private func joined() async throws(HistoryError) -> Bool {
    guard request.isFollowing, let position else {
      end(.end)
      return true
    }
    // What comes between the joining and the return of this call is handed to it already.
    isLive = true
    do throws(HistoryError) {
      guard let drift = try await hub.join(self, lineRequest, at: position) else {
        isLive = false
        return false
      }
      await tell(drift)
      return true
    } catch {
      isLive = false
      throw error
    }
  }

  /// Lets others on the loop have their turn.
  func breathe() async { try? await LoopTimer.sleep(for: .zero, on: executor) }
}
