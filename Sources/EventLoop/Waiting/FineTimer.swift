import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Calls back once after a time given to the microsecond.
///
/// libuv's own timers count milliseconds. On Linux this one is a timerfd that the loop polls; on
/// other systems it is a ``LoopTimer``. Confined to the loop.
public final class FineTimer {
  #if os(Linux)
    private let descriptor: CInt
    private let handle: LoopHandle
  #else
    private let timer: LoopTimer
  #endif
  private var callback: (() -> Void)?

  #if os(Linux)
    /// Makes a timer that does not run yet.
    ///
    /// - Parameter executor: The loop that calls back.
    /// - Throws: ``LoopError`` if the process has no descriptors left.
    public init(on executor: LoopExecutor) throws(LoopError) {
      let descriptor = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_NONBLOCK | TFD_CLOEXEC))
      guard descriptor >= 0 else { throw LoopError("timerfd_create", number: errno) }
      do throws(LoopError) {
        handle = try LoopHandle(
          UV_POLL, as: uv_poll_t.self, on: executor, "uv_poll_init"
        ) { uv_poll_init($0, $1, descriptor) }
      } catch {
        Glibc.close(descriptor)
        throw error
      }
      self.descriptor = descriptor
      handle.belong(to: self)
      // Polled all the time: a timer that is not armed is never readable, so that arming costs
      // one system call and no change of the poll set.
      handle.with(uv_poll_t.self) {
        uv_poll_start($0, CInt(UV_READABLE.rawValue)) { raw, _, _ in
          LoopHandle.owner(of: raw, as: FineTimer.self)?.fired()
        }
      }
    }

    deinit {
      handle.close(watching: descriptor)
    }

    /// Starts the timer, or starts it anew.
    ///
    /// - Parameters:
    ///   - delay: How long until the call.
    ///   - callback: What to call, on the loop.
    public func start(after delay: Duration, _ callback: @escaping () -> Void) {
      self.callback = callback
      // Zero would stop it.
      _ = clibuv_timerfd_arm(descriptor, max(1, delay.wholeNanoseconds))
    }

    /// Stops the timer; no call comes after this.
    public func stop() {
      guard callback.take() != nil else { return }
      _ = clibuv_timerfd_arm(descriptor, 0)
    }

    private func fired() {
      let callback = callback.take()
      callback?()
      // Arming it again has made it unreadable; otherwise reading does.
      guard self.callback == nil else { return }
      var count: UInt64 = 0
      _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
  #else
    /// Makes a timer that does not run yet.
    ///
    /// - Parameter executor: The loop that calls back.
    /// - Throws: ``LoopError`` if libuv refuses.
    public init(on executor: LoopExecutor) throws(LoopError) {
      timer = try LoopTimer(on: executor)
    }

    /// Starts the timer, or starts it anew.
    ///
    /// - Parameters:
    ///   - delay: How long until the call; rounded up to whole milliseconds.
    ///   - callback: What to call, on the loop.
    public func start(after delay: Duration, _ callback: @escaping () -> Void) {
      timer.start(after: delay, callback)
    }

    /// Stops the timer; no call comes after this.
    public func stop() { timer.stop() }
  #endif
}
