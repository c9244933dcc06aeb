package import HistoryModel

/// What somebody wants of a store's history as lines, wherever they go.
package struct StreamRequest: Sendable {
  /// Whether the rows come first.
  package enum Snapshot: String, CaseIterable, Sendable {
    /// They do not.
    case never
    /// They do, unless a position is gone on from.
    case initial
    /// They do, and nothing follows.
    case only
  }

  /// What to do about a position that cannot be used.
  package enum OnExpired: String, CaseIterable, Sendable {
    /// End.
    case fail
    /// Send the rows, and go on from there.
    case snapshot
    /// Go on at the oldest position that is left.
    case oldest
  }

  /// How changes are put into lines.
  package enum Group: String, CaseIterable, Sendable {
    /// One line for each change, and one for each commit.
    case row
    /// One line for each transaction.
    case transaction
  }

  /// Where it begins.
  package var since: HistoryPosition
  /// Whether it goes on at the head.
  package var isFollowing: Bool
  /// Where it ends.
  package var until: HistoryToken?
  /// How many transactions are shown at most.
  package var limit: Int?
  /// How long it may go on without showing any.
  package var timeout: Duration?
  /// Which changes are shown.
  package var filter: ChangeFilter
  /// Whether the rows come first.
  package var snapshot: Snapshot
  /// What to do about a position that cannot be used.
  package var onExpired: OnExpired
  /// How changes are put into lines.
  package var group: Group
  /// How far apart bookmarks are while nothing is shown; nil for none.
  package var bookmarkInterval: Duration?

  /// Asks for all that is committed from now on.
  package init(
    since: HistoryPosition = .now, isFollowing: Bool = true, until: HistoryToken? = nil,
    limit: Int? = nil, timeout: Duration? = nil, filter: ChangeFilter = ChangeFilter(),
    snapshot: Snapshot = .never, onExpired: OnExpired = .fail, group: Group = .row,
    bookmarkInterval: Duration? = nil
  ) {
    self.since = since
    self.isFollowing = isFollowing
    self.until = until
    self.limit = limit
    self.timeout = timeout
    self.filter = filter
    self.snapshot = snapshot
    self.onExpired = onExpired
    self.group = group
    self.bookmarkInterval = bookmarkInterval
  }
}
