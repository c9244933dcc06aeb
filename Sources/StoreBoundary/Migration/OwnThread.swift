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
    let result = await withTaskCancellationHandler {
      await Task(executorPreference: executor) { () -> Result<Value, HistoryError> in
        do throws(HistoryError) {
          return .success(try body { isCancelled.withLock { $0 } })
        } catch {
          return .failure(error)
        }
      }.value
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
    return try result.get()
  }
}
