package import EventLoop

/// What a client's pauses are made of: chance and time.
package struct ConnectionPace: Sendable {
  /// Waits for a while, on the loop; throws as soon as the task is cancelled.
  package typealias Pause =
    @Sendable (Duration, LoopExecutor) async throws(CancellationError) -> Void

  let pause: Pause
  var generator: any RandomNumberGenerator & Sendable

  /// The system's time and chance.
  package init() {
    self.init(generator: SystemRandomNumberGenerator()) {
      (duration, executor) async throws(CancellationError) in
      try await LoopTimer.sleep(for: duration, on: executor)
    }
  }

  /// Time and chance of a test's making.
  package init(
    generator: any RandomNumberGenerator & Sendable, pause: @escaping Pause
  ) {
    self.generator = generator
    self.pause = pause
  }
}
