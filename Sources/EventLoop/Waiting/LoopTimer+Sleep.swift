extension LoopTimer {
  /// Suspends the calling task for a while without leaving the loop.
  ///
  /// `Task.sleep` would start Dispatch's threads. The caller must be on the loop.
  ///
  /// - Parameters:
  ///   - duration: How long; rounded up to whole milliseconds.
  ///   - executor: The loop that the task runs on.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public nonisolated(nonsending) static func sleep(
    for duration: Duration, on executor: LoopExecutor
  ) async throws(CancellationError) {
    // Without a timer there is nothing to wait for; libuv never refuses one.
    guard let timer = try? LoopTimer(on: executor) else { return }
    try await Suspension<CancellationError>.wait(
      on: executor, cancelledAs: CancellationError()
    ) { suspension in
      timer.start(after: duration) { suspension.resume(.success(())) }
    }
    timer.stop()
  }

  /// Suspends the calling task for a while, even if it is cancelled.
  ///
  /// For tidying up. The caller must be on the loop.
  ///
  /// - Parameters:
  ///   - duration: How long; rounded up to whole milliseconds.
  ///   - executor: The loop that the task runs on.
  public nonisolated(nonsending) static func pause(
    for duration: Duration, on executor: LoopExecutor
  ) async {
    guard let timer = try? LoopTimer(on: executor) else { return }
    await withUnsafeContinuation { continuation in
      timer.start(after: duration) { continuation.resume() }
    }
    timer.stop()
  }
}
