extension LoopExecutor {
  /// The reference that an actor returns as its `unownedExecutor`.
  ///
  /// - Returns: A reference that does not keep the executor alive.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// The reference that a task with this preference holds.
  ///
  /// - Returns: A reference that does not keep the executor alive.
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }

  /// Stops the program unless the calling thread is running this loop.
  ///
  /// It makes `assumeIsolated` hold inside libuv's callbacks, which are no jobs of Swift's.
  public func checkIsolated() {
    precondition(CurrentLoop.isRunning(self), "This may be done only on the loop's thread.")
  }

  /// Says whether the calling thread is running this loop.
  ///
  /// - Returns: Always an answer, never `nil`.
  public func isIsolatingCurrentContext() -> Bool? {
    CurrentLoop.isRunning(self)
  }
}
