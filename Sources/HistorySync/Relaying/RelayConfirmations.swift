package import HistoryModel

/// Remembers since when a carrier has what, and says which history need not be kept any more.
///
/// A server that crashes may lose what it confirmed shortly before, if it had not synced it. So what
/// was confirmed counts only after a while, up to which it can be appended again.
package struct RelayConfirmations {
  /// How long history is kept after the carrier has confirmed it.
  private let grace: Duration
  private var entries: [(token: HistoryToken, since: Duration)] = []

  /// How many moments are told apart within the while.
  private static let resolution = 64

  package init(grace: Duration) { self.grace = grace }

  /// How many moments are remembered.
  var count: Int { entries.count }

  /// The carrier has everything up to a position.
  ///
  /// - Parameters:
  ///   - token: The position.
  ///   - moment: Since when.
  package mutating func confirmed(_ token: HistoryToken, since moment: Duration) {
    // What came shortly before is waited for a little longer instead of being remembered.
    if entries.count >= 2, moment - entries[entries.count - 2].since < grace / Self.resolution {
      entries.removeLast()
    }
    entries.append((token, moment))
  }

  /// The carrier's last message is another than was thought: what was confirmed after it is lost.
  ///
  /// - Parameter token: The position that it leads to; nil where there is none, and all is lost.
  package mutating func anchored(at token: HistoryToken?) {
    entries.removeAll { entry in token.map { entry.token > $0 } ?? true }
  }

  /// Takes out the position up to which history need not be kept.
  ///
  /// - Parameter now: The moment.
  /// - Returns: nil when there is no later one than the last time.
  package mutating func due(now: Duration) -> HistoryToken? {
    guard let last = entries.lastIndex(where: { now - $0.since >= grace }) else { return nil }
    let token = entries[last].token
    entries.removeFirst(last + 1)
    return token
  }

  /// When there may be such a position.
  package var next: Duration? { entries.first.map { $0.since + grace } }
}
