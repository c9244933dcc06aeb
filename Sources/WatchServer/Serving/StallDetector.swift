/// Tells when a reader for whom something waits has taken nothing for too long.
struct StallDetector {
  /// How long a reader may take nothing.
  static let patience = Duration.seconds(60)

  private var sent: UInt64 = 0
  private var since: Duration?

  /// Looks at a reader.
  ///
  /// - Parameters:
  ///   - sent: How many bytes he has taken so far.
  ///   - isWaiting: Whether anything waits for him.
  ///   - now: The time since any fixed moment.
  /// - Returns: Whether he has stalled.
  mutating func hasStalled(sent: UInt64, isWaiting: Bool, now: Duration) -> Bool {
    guard isWaiting, sent == self.sent, let since else {
      self.sent = sent
      since = isWaiting ? now : nil
      return false
    }
    return now - since >= Self.patience
  }
}
