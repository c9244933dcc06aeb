import EventLoop

/// What was written after what.
///
/// Numbers are never used twice, also after a restore, so that the one before each tells all that
/// a reader may have seen before it.
final class Timeline: Sendable {
  private let before = Guarded<[Int64: Int64]>([:])

  func wrote(_ number: Int64, after other: Int64) { before.withLock { $0[number] = other } }

  func isNext(_ number: Int64, after other: Int64) -> Bool {
    before.withLock { $0[number] == other }
  }

  /// How many numbers there are from one to a later one; nil where they are of no one history.
  func distance(from start: Int64, to end: Int64) -> Int? {
    before.withLock { before in
      var count = 0
      var number = end
      while number != start {
        guard let next = before[number] else { return nil }
        number = next
        count += 1
      }
      return count
    }
  }
}
