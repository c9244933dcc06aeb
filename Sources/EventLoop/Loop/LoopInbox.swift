/// What other threads hand to the loop: jobs and calls, in order, and whether it must be woken.
struct LoopInbox: Sendable {
  /// One thing for the loop's thread to do.
  enum Work: Sendable {
    /// A piece of an asynchronous function.
    case job(UnownedJob)
    /// A plain call.
    case call(@Sendable () -> Void)
  }

  /// What has arrived since the last drain.
  private(set) var waiting: [Work] = []
  /// Whether the loop may be asleep in the kernel, so that the next arrival has to ring.
  private(set) var mayBeAsleep = false
  /// Whether a thread is running the loop.
  var isRunning = false

  /// Takes in one piece of work.
  ///
  /// - Parameters:
  ///   - work: What to do.
  ///   - fromLoop: Whether the loop's own thread brings it. It drains before it sleeps, so it
  ///     never has to be woken.
  /// - Returns: Whether the caller must wake the loop.
  mutating func arrived(_ work: Work, fromLoop: Bool) -> Bool {
    waiting.append(work)
    guard mayBeAsleep, !fromLoop else { return false }
    mayBeAsleep = false
    return true
  }

  /// Hands over everything that waits, or notes that the loop is about to sleep.
  ///
  /// - Parameter batch: An empty array, whose memory is used for what arrives next.
  /// - Returns: Whether there was anything.
  mutating func drained(into batch: inout [Work]) -> Bool {
    guard !waiting.isEmpty else {
      mayBeAsleep = true
      return false
    }
    mayBeAsleep = false
    swap(&waiting, &batch)
    return true
  }
}
