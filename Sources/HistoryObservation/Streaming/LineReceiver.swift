package import HistoryModel

/// Somebody who has read everything and is given the lines of what is committed, on the loop.
///
/// He returns at once: everybody else waits meanwhile.
package protocol LineReceiver: AnyObject, Sendable {
  /// These lines follow, or none do but the position moves.
  ///
  /// - Parameter page: The lines. Who came in their middle stands behind their beginning, and takes
  ///   what is ``LinePage/after(_:)`` his position.
  func received(_ page: LinePage)

  /// More came than is kept for those who wait: he is to read by himself.
  func mustRead()

  /// His position cannot be used any more. Nothing follows.
  func failed(_ error: HistoryError)
}
