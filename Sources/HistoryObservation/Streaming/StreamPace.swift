/// Decides when a stream that waits has something to do besides reading.
///
/// To end, to say that it is still there, to keep its position. Knows no clock and no tasks.
package struct StreamPace<Position: Hashable>: Hashable {
  /// What is due.
  package enum Action: Equatable {
    /// Nothing was shown for as long as was asked for: end.
    case timeOut
    /// Say up to where everything was shown.
    case bookmark
    /// Keep the position.
    case keep
  }

  /// How long nothing may be shown; nil for ever.
  package let timeout: Duration?
  /// How far apart bookmarks are; nil for none.
  package let bookmarkInterval: Duration?
  /// How long a position may stay unkept; nil when none is kept.
  package let keepDelay: Duration?

  private var lastShown: Duration
  private var lastBookmark: Duration
  private var lastKept: Duration?
  private var kept: Position?

  /// Begins; times are durations since any fixed moment.
  package init(
    timeout: Duration?, bookmarkInterval: Duration?, keepDelay: Duration?, now: Duration
  ) {
    self.timeout = timeout
    self.bookmarkInterval = bookmarkInterval
    self.keepDelay = keepDelay
    lastShown = now
    lastBookmark = now
  }

  /// A transaction or a row was shown.
  package mutating func shown(now: Duration) { lastShown = now }

  /// A bookmark was written.
  package mutating func bookmarked(now: Duration) { lastBookmark = now }

  /// A position was kept, or, when others were writing, only tried to be.
  package mutating func triedToKeep(_ position: Position, isKept: Bool, now: Duration) {
    lastKept = now
    if isKept { kept = position }
  }

  /// Whether a position was not kept yet.
  package func isUnkept(_ position: Position) -> Bool { keepDelay != nil && kept != position }

  /// What is due now, the most urgent first.
  package func due(_ position: Position, now: Duration) -> [Action] {
    var actions: [Action] = []
    if let timeout, now - lastShown >= timeout { actions.append(.timeOut) }
    if let bookmarkInterval, now - lastBookmark >= bookmarkInterval { actions.append(.bookmark) }
    if let time = keepTime(position), now >= time { actions.append(.keep) }
    return actions
  }

  /// How long until the next thing is due; nil when nothing ever is.
  package func wait(_ position: Position, now: Duration) -> Duration? {
    let times = [
      timeout.map { lastShown + $0 }, bookmarkInterval.map { lastBookmark + $0 },
      keepTime(position),
    ]
    return times.compactMap { $0 }.min().map { max(.zero, $0 - now) }
  }

  /// When the position has to be kept; the first one at once.
  private func keepTime(_ position: Position) -> Duration? {
    guard let keepDelay, kept != position else { return nil }
    return lastKept.map { $0 + keepDelay } ?? .zero
  }
}
