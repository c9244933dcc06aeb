package import HistoryObservation

/// Where the lines of one subscription go, on the loop.
package protocol LineSink: AnyObject, Sendable {
  /// Sends lines, or takes them in to be sent.
  ///
  /// - Parameter lines: The lines, taken whole or not at all.
  /// - Returns: What became of them.
  func offer(_ lines: EncodedLines) -> SinkOffer

  /// Waits until much of what was taken in is out.
  ///
  /// - Returns: Whether more can be offered; false when the reader is gone.
  func room() async -> Bool
}

/// What became of lines that were offered.
package enum SinkOffer: Hashable, Sendable {
  /// They go out, or have.
  case taken
  /// There is no room for them now.
  case full
  /// Nobody is there any more.
  case gone
}
