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

extension LineSink {
  /// Sends the last lines of a subscription, however long its reader takes for those before.
  ///
  /// - Parameter lines: The lines.
  func sendLast(_ lines: EncodedLines) async {
    while offer(lines) == .full {
      guard await room() else { return }
    }
  }
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
