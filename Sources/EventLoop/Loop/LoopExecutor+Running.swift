import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LoopExecutor {
  /// Runs a task on the loop, and the loop on the calling thread, until the task has finished.
  ///
  /// ```swift
  /// let code = try LoopExecutor().runUntilComplete { await command.run() }
  /// ```
  ///
  /// - Parameter body: The task. Everything it awaits without leaving the loop runs on the
  ///   calling thread.
  /// - Returns: What the task returned.
  /// - Throws: What the task threw.
  public func runUntilComplete<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = Guarded<Result<Value, Failure>?>(nil)
    // Detached and with a preference: a plain task would be the main actor's, which never runs
    // while this thread is inside the loop, or would start Dispatch's threads.
    Task.detached(executorPreference: self) {
      do throws(Failure) {
        let value = try await body()
        outcome.withLock { $0 = .success(value) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      self.stop()
    }
    while true {
      run()
      if let result = outcome.withLock({ $0 }) { return try result.get() }
    }
  }

  /// Makes writing to a closed pipe, and beyond the limit for the size of files, an error instead of
  /// the end of the process.
  ///
  /// Call it once at the start of a program, before the first ``OutputPort``.
  public static func ignoreBrokenPipes() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }
}

extension LoopExecutor {
  /// The version of libuv in use, such as `1.44.2`.
  public static var libraryVersion: String { String(cString: uv_version_string()) }
}
