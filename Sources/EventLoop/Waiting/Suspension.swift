/// One task that waits for something that happens on the loop.
///
/// It is resumed exactly once, on the loop, by whoever holds it or by the task's cancellation.
final class Suspension<Failure: Error>: @unchecked Sendable {
  // Sendable so that a cancellation can name it from any thread; it then goes through the loop,
  // which alone touches what is inside.
  private var continuation: UnsafeContinuation<Result<Void, Failure>, Never>?
  /// What came before the task was quite suspended.
  private var early: Result<Void, Failure>?
  private var isResumed = false
  /// What to undo when the wait is cancelled.
  var onCancel: (() -> Void)?

  /// Suspends the calling task, which must be on the loop.
  ///
  /// - Parameters:
  ///   - executor: The loop.
  ///   - error: What a cancelled wait throws.
  ///   - start: Called at once, without any other job in between; keeps the suspension and later
  ///     resumes it.
  /// - Throws: What it is resumed with, or `error`.
  nonisolated(nonsending) static func wait(
    on executor: LoopExecutor, cancelledAs error: Failure, _ start: (Suspension) -> Void
  ) async throws(Failure) {
    executor.checkIsolated()
    let suspension = Suspension()
    start(suspension)
    try await suspension.result(on: executor, cancelledAs: error).get()
  }

  /// Waits for what the suspension is resumed with.
  ///
  /// The closure has to stay on the caller's actor, and so on the loop, also where the task prefers
  /// another executor; that takes a parameter for it to capture. Entering here may let other jobs
  /// run first, which is why ``wait(on:cancelledAs:_:)`` starts the wait by itself.
  private func result(
    on executor: LoopExecutor, cancelledAs error: Failure,
    isolation: isolated (any Actor)? = #isolation
  ) async -> Result<Void, Failure> {
    await withTaskCancellationHandler {
      _ = isolation
      return await withUnsafeContinuation { self.suspend($0) }
    } onCancel: {
      executor.perform { [self] in
        onCancel?()
        resume(.failure(error))
      }
    }
  }

  private func suspend(_ continuation: UnsafeContinuation<Result<Void, Failure>, Never>) {
    if let early {
      continuation.resume(returning: early)
    } else {
      self.continuation = continuation
    }
  }

  /// Lets the task go on; only the first call counts.
  func resume(_ result: Result<Void, Failure>) {
    guard !isResumed else { return }
    isResumed = true
    onCancel = nil
    if let continuation {
      continuation.resume(returning: result)
    } else {
      early = result
    }
  }
}
