#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Which loop the calling thread is running, if any.
///
/// A thread-local slot answers "am I on the loop?" without a lock, so that the question may be
/// asked for every job.
enum CurrentLoop {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let failure = pthread_key_create(&key, nil)
    precondition(failure == 0, "The process has no thread-local slots left.")
    return key
  }()

  /// Whether the calling thread is running `executor`.
  static func isRunning(_ executor: LoopExecutor) -> Bool {
    pthread_getspecific(key)
      == UnsafeMutableRawPointer(Unmanaged.passUnretained(executor).toOpaque())
  }

  /// Notes that the calling thread runs `executor` while `body` runs.
  static func entering(_ executor: LoopExecutor, _ body: () -> Void) {
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(executor).toOpaque())
    defer { pthread_setspecific(key, outer) }
    body()
  }
}
