import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The thread that ``LoopExecutor/onOwnThread(name:)`` started.
struct OwnThread: @unchecked Sendable {
  // A thread's identity is a plain value on every system; Darwin only spells it as a pointer.
  let identity: pthread_t
}

extension LoopExecutor {
  /// Makes a loop that runs on a thread of its own, for programs that have other things to do.
  ///
  /// - Parameter name: The thread's name as debuggers show it, at most 15 bytes of it.
  /// - Returns: The executor, already running. End it with ``shutdown()``.
  /// - Throws: ``LoopError`` if neither loop nor thread could be made.
  public static func onOwnThread(name: String) throws(LoopError) -> LoopExecutor {
    let executor = try LoopExecutor()
    let start = ThreadStart(executor, name: name)
    #if os(Linux)
      var identity = pthread_t()
    #else
      var identity: pthread_t?
    #endif
    let failure = pthread_create(
      &identity, nil, threadBody, Unmanaged.passRetained(start).toOpaque())
    guard failure == 0 else {
      Unmanaged.passUnretained(start).release()
      throw LoopError("pthread_create", number: failure)
    }
    #if os(Linux)
      executor.ownThread.withLock { $0 = OwnThread(identity: identity) }
    #else
      executor.ownThread.withLock { own in own = identity.map(OwnThread.init) }
    #endif
    return executor
  }

  /// Stops the loop and waits for its thread to end.
  ///
  /// Only for executors of ``onOwnThread(name:)``, from another thread; a second call does
  /// nothing.
  public func shutdown() {
    precondition(!CurrentLoop.isRunning(self), "A loop cannot wait for its own end.")
    guard let thread = ownThread.withLock({ $0.take() }) else { return }
    stop()
    pthread_join(thread.identity, nil)
  }
}

extension LoopExecutor {
  /// Stops the loop and lets its thread end by itself.
  ///
  /// Only for executors of ``onOwnThread(name:)``. Unlike ``shutdown()`` it waits for nothing, so
  /// it may be called from anywhere, also from the loop itself; what the loop has begun and what
  /// waits to be closed is still done.
  public func letGo() {
    guard let thread = ownThread.withLock({ $0.take() }) else { return }
    stop()
    pthread_detach(thread.identity)
  }
}

/// What a new thread is told.
private final class ThreadStart {
  let executor: LoopExecutor
  let name: String

  init(_ executor: LoopExecutor, name: String) {
    self.executor = executor
    self.name = name
  }

  func run() {
    #if os(Linux)
      _ = clibuv_name_thread(name)
    #else
      pthread_setname_np(name)
    #endif
    executor.run()
  }
}

#if os(Linux)
  private func threadBody(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let start else { return nil }
    Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().run()
    return nil
  }
#else
  private func threadBody(_ start: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<ThreadStart>.fromOpaque(start).takeRetainedValue().run()
    return nil
  }
#endif
