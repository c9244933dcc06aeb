#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A value that several threads share, reached only under a lock.
///
/// It wraps `pthread_mutex_t` since Thread Sanitizer reports false races for
/// `Synchronization.Mutex` under contention.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  // Sendable since `value` is touched only while `mutex` is held, and `mutex` never moves.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  package init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value while no other thread can reach it.
  @inline(__always)
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
