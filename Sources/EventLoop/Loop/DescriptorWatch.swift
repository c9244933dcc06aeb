import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Calls back when a descriptor that was inherited becomes ready, without changing it.
///
/// `uv_poll_init` sets O_NONBLOCK, and that flag belongs to the open file description, which
/// other processes share: the shell would find its terminal non-blocking. So on Linux the
/// descriptor goes into an epoll set of its own, and libuv polls that set. On other systems
/// libuv has its way and the flag stays set. Confined to the loop.
final class DescriptorWatch {
  /// What to call back for, again and again until something else is awaited.
  enum Interest { case nothing, hangUp, readable, writable }

  private(set) var interest = Interest.nothing
  private let descriptor: CInt
  private let handle: LoopHandle
  private let callback: () -> Void

  #if os(Linux)
    private let set: CInt

    init(
      _ descriptor: CInt, on executor: LoopExecutor, _ callback: @escaping () -> Void
    ) throws(LoopError) {
      let set = epoll_create1(CInt(EPOLL_CLOEXEC))
      guard set >= 0 else { throw LoopError("epoll_create1", number: errno) }
      do throws(LoopError) {
        handle = try LoopHandle(
          UV_POLL, as: uv_poll_t.self, on: executor, "uv_poll_init"
        ) { uv_poll_init($0, $1, set) }
      } catch {
        Glibc.close(set)
        throw error
      }
      self.set = set
      self.descriptor = descriptor
      self.callback = callback
      handle.belong(to: self)
      handle.with(uv_poll_t.self) {
        uv_poll_start($0, CInt(UV_READABLE.rawValue)) { raw, _, _ in
          LoopHandle.owner(of: raw, as: DescriptorWatch.self)?.callback()
        }
      }
    }

    deinit {
      handle.close(watching: set)
    }

    /// Changes what is awaited.
    ///
    /// - Throws: ``LoopError`` with `EPERM` if the descriptor is of a kind that is always ready.
    func wait(for wanted: Interest) throws(LoopError) {
      guard wanted != interest else { return }
      let operation =
        wanted == .nothing ? EPOLL_CTL_DEL : interest == .nothing ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
      // The kernel always adds EPOLLERR and EPOLLHUP. EPOLLRDHUP is left out: a peer that only
      // stopped sending still reads.
      let events: EPOLL_EVENTS =
        switch wanted {
        case .nothing, .hangUp: EPOLL_EVENTS(rawValue: 0)
        case .readable: EPOLLIN
        case .writable: EPOLLOUT
        }
      guard clibuv_epoll_control(set, operation, descriptor, events.rawValue) == 0 else {
        throw LoopError("epoll_ctl", number: errno)
      }
      interest = wanted
    }
  #else
    init(
      _ descriptor: CInt, on executor: LoopExecutor, _ callback: @escaping () -> Void
    ) throws(LoopError) {
      handle = try LoopHandle(
        UV_POLL, as: uv_poll_t.self, on: executor, "uv_poll_init"
      ) { uv_poll_init($0, $1, descriptor) }
      self.descriptor = descriptor
      self.callback = callback
      handle.belong(to: self)
    }

    deinit { handle.close() }

    /// Changes what is awaited.
    ///
    /// - Throws: ``LoopError`` if the system refuses.
    func wait(for wanted: Interest) throws(LoopError) {
      guard wanted != interest else { return }
      let events: UInt32 =
        switch wanted {
        case .nothing: 0
        case .hangUp: UV_DISCONNECT.rawValue
        case .readable: UV_READABLE.rawValue
        case .writable: UV_WRITABLE.rawValue
        }
      let status = handle.with(uv_poll_t.self) { watch in
        guard events != 0 else { return uv_poll_stop(watch) }
        return uv_poll_start(watch, CInt(events)) { raw, _, _ in
          LoopHandle.owner(of: raw, as: DescriptorWatch.self)?.callback()
        }
      }
      try check("uv_poll_start", status ?? 0)
      interest = wanted
    }
  #endif
}
