import EventLoop
package import HistoryModel

/// Runs what takes long on a thread that nobody else needs.
package enum OwnThread {
  /// Runs a body on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The thread's name.
  ///   - body: What to run; it is given a question to ask all the time, whether to stop: the
  ///     calling task was cancelled.
  /// - Returns: What the body returned.
  /// - Throws: ``/HistoryModel/HistoryError``: what the body throws, or `temporary` when there is no thread.
  package static func run<Value: Sendable>(
    _ name: String,
    _ body:
      @escaping @Sendable (_ mustStop: @escaping @Sendable () -> Bool) throws(HistoryError)
      -> Value
  ) async throws(HistoryError) -> Value {
    let executor: LoopExecutor
    do throws(LoopError) {
      executor = try LoopExecutor.onOwnThread(name: name)
    } catch {
      throw HistoryError(
        .temporary, "there is no thread to work on: \(error)",
        hint: "raise the limits of threads and of open files", cause: error)
    }
    defer { executor.letGo() }
    let isCancelled = Guarded(false)
    // Not the task's own result: the thread keeps that for a moment after it was handed over, and what
    // a caller lets go of, such as a lock, is to be gone then.
    let result = Guarded<Result<Value, HistoryError>?>(nil)
    await withTaskCancellationHandler {
      await Task(executorPreference: executor) {
        do throws(HistoryError) {
          let value = try body { isCancelled.withLock { $0 } }
          result.withLock { $0 = .success(value) }
        } catch {
          result.withLock { $0 = .failure(error) }
        }
      }.value
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    guard let result = result.withLock({ $0.take() }) else {
      preconditionFailure("A task ended without its result.")
    }
    return try result.get()
  }
}
