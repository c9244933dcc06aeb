import EventLoop

/// A clock that stands still until a test moves it, and tells when somebody sleeps on it.
///
/// "Wait until it sleeps, then advance" takes the place of every sleep in tests.
public final class ManualClock: Clock, Sendable {
  /// A moment of the clock: a time since its beginning.
  public struct Instant: InstantProtocol {
    /// The time since the clock's beginning.
    public let elapsed: Duration

    /// A later moment.
    ///
    /// - Parameter duration: How much later.
    /// - Returns: The moment.
    public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }

    /// The time to another moment.
    ///
    /// - Parameter other: The moment.
    /// - Returns: The time, negative when the other is earlier.
    public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

    /// Whether a moment comes before another.
    public static func < (a: Instant, b: Instant) -> Bool { a.elapsed < b.elapsed }
  }

  private struct Sleeper: Sendable {
    var deadline: Instant
    var continuation: UnsafeContinuation<Bool, Never>
  }

  private struct State: Sendable {
    var now = Instant(elapsed: .zero)
    var lastNumber = 0
    var sleepers: [Int: Sleeper] = [:]
    /// Sleeps that were cancelled before they began.
    var cancelled: Set<Int> = []
    var waiters: [(count: Int, continuation: UnsafeContinuation<Void, Never>)] = []
  }

  private let state = Guarded(State())

  /// Makes a clock that stands at its beginning.
  public init() {}

  /// The moment to which the clock was moved.
  public var now: Instant { state.withLock { $0.now } }

  /// The smallest difference that it can tell.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until the clock was moved to a moment.
  ///
  /// - Parameters:
  ///   - deadline: The moment.
  ///   - tolerance: Nothing comes of it.
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let isDue = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        begin(number, Sleeper(deadline: deadline, continuation: continuation))
      }
    } onCancel: {
      cancel(number)
    }
    if !isDue { throw CancellationError() }
  }

  /// Moves the clock, and wakes whoever slept until then, the earliest first.
  ///
  /// - Parameter duration: How far.
  public func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.deadline <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
    }
    for (_, sleeper) in due { sleeper.continuation.resume(returning: true) }
  }

  /// Waits until so many tasks sleep on the clock.
  ///
  /// - Parameter count: How many.
  public func waitForSleepers(_ count: Int) async {
    await withUnsafeContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sleepers.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func begin(_ number: Int, _ sleeper: Sleeper) {
    let (result, ready) = state.withLock {
      state -> (Bool?, [UnsafeContinuation<Void, Never>]) in
      if state.cancelled.remove(number) != nil { return (false, []) }
      if sleeper.deadline <= state.now { return (true, []) }
      state.sleepers[number] = sleeper
      let count = state.sleepers.count
      let ready = state.waiters.filter { $0.count <= count }.map(\.continuation)
      state.waiters.removeAll { $0.count <= count }
      return (nil, ready)
    }
    if let result { sleeper.continuation.resume(returning: result) }
    for waiter in ready { waiter.resume() }
  }

  private func cancel(_ number: Int) {
    let sleeper = state.withLock { state in
      if state.sleepers[number] == nil { state.cancelled.insert(number) }
      return state.sleepers.removeValue(forKey: number)
    }
    sleeper?.continuation.resume(returning: false)
  }
}
