import EventLoop
package import HistoryModel
import HistoryStore

extension StoreHub {
  /// Lets somebody listen.
  ///
  /// What came after the position is told first, as one range.
  ///
  /// - Parameters:
  ///   - listener: Who listens. He is not kept.
  ///   - interest: What matters to him.
  ///   - position: Where he begins.
  /// - Returns: Where he began, as a token.
  /// - Throws: ``HistoryModel/HistoryError`` with code `historyTokenExpired` or `foreignToken` when
  ///   he cannot begin there.
  /// - Complexity: O(log *h* + *n*) for *n* rows after the position out of *h* kept.
  @discardableResult
  package func listen(
    _ listener: any HistoryListener, for interest: ChangeInterest, after position: HistoryPosition
  ) async throws(HistoryError) -> HistoryToken {
    arriving += 1
    defer { hasArrived() }
    try await beginFollowing()
    let start = try await usable(position)
    var meter = InterestMeter(interest, since: start)
    var position = start
    while true {
      try await beginFollowing()
      guard let told else { continue }
      if isBehind(position, told) {
        try await catchUp()
        // The store may have become another one meanwhile.
        position = try await usable(.after(position))
      } else if position != told {
        let reader = try HistoryReader(
          try follower().store, after: position, filter: interest.filter, until: told)
        try await readToEnd(reader) { meter.take($0, values: reader.values) }
        position = told
      } else {
        join(listener, interest, at: told)
        let summary = meter.takeSummary(until: told)
        if summary.isEmpty { listener.passed(told) } else { listener.changed(summary) }
        return start
      }
    }
  }

  /// Whether more must be read before somebody who stands at a position can join the others.
  private func isBehind(_ position: HistoryToken, _ told: HistoryToken) -> Bool {
    isBetweenPages || moving != nil || told.storeIdentifier != position.storeIdentifier
      || told.sequence < position.sequence
  }

  /// Lets somebody go.
  ///
  /// - Parameter listener: Who listened.
  package func leave(_ listener: any HistoryListener) {
    for audience in audiences { audience.remove(listener) }
    if !isNeeded { nudge() }
  }

  /// Notices that somebody who listened is no longer there.
  package func forgetTheGone() {
    audiences.removeAll(where: \.isEmpty)
    feeds.removeAll(where: \.isGone)
    if !isNeeded { nudge() }
  }

  /// Lets a while pass, for those who are not on the loop.
  ///
  /// - Parameter duration: How long; less if the task is cancelled.
  package func pause(for duration: Duration) async {
    try? await LoopTimer.sleep(for: duration, on: executor)
  }

  private func join(
    _ listener: any HistoryListener, _ interest: ChangeInterest, at head: HistoryToken
  ) {
    // Whoever asks twice at once is told once.
    for audience in audiences { audience.remove(listener) }
    if let audience = audiences.first(where: { $0.meter.interest == interest }) {
      audience.add(listener)
    } else {
      let audience = Audience(interest, since: head)
      audience.add(listener)
      audiences.append(audience)
    }
  }

  /// A position as a token, if it can be read from.
  ///
  /// - Parameter position: The position.
  /// - Returns: The token.
  /// - Throws: ``HistoryModel/HistoryError`` with code `historyTokenExpired` or `foreignToken` when
  ///   it cannot, and when the store cannot be read.
  package func usable(_ position: HistoryPosition) async throws(HistoryError) -> HistoryToken {
    let (resolved, state) = try await resolve(position)
    switch resolved {
    case .usable(let token): return token
    case .expired(_, let reason):
      throw .historyTokenExpired(oldest: state.oldest, reason: reason)
    }
  }
}
