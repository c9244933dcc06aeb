package import HistoryModel

/// Somebody who is told what matched an interest, on the loop.
///
/// Whoever listens returns at once: everybody else waits meanwhile.
package protocol HistoryListener: AnyObject, Sendable {
  /// Something matched.
  ///
  /// - Parameter summary: What, and the range of history that it came from, which begins where the
  ///   last one ended.
  func changed(_ summary: HistorySummary)

  /// Nothing matched up to a position.
  func passed(_ token: HistoryToken)

  /// It cannot go on from where it is: the position has expired. Nothing follows.
  func failed(_ error: HistoryError)
}
