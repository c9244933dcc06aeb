import CLibUV

/// Calls back when a descriptor that somebody else owns becomes ready.
///
/// Its open file description must be this process's alone, since libuv makes it non-blocking; for
/// others there is ``DescriptorWatch``. The poll must end before its descriptor is closed. Confined
/// to the loop, except that the last reference may be dropped anywhere.
package final class DescriptorPoll {
  /// What to call back for, again and again.
  package enum Interest {
    /// There is something to read.
    case readable
    /// The peer sends no more, or is gone.
    case hangUp
  }

  private let handle: LoopHandle
  private var callback: (() -> Void)?

  /// Makes a poll that does not call back yet.
  ///
  /// - Parameters:
  ///   - descriptor: What to poll; it stays its owner's.
  ///   - executor: The loop that calls back.
  /// - Throws: ``LoopError`` if the descriptor is of a kind that cannot be polled.
  package init(_ descriptor: CInt, on executor: LoopExecutor) throws(LoopError) {
    handle = try LoopHandle(
      UV_POLL, as: uv_poll_t.self, on: executor, "uv_poll_init"
    ) { uv_poll_init($0, $1, descriptor) }
    handle.belong(to: self)
  }

  deinit { handle.close() }

  /// Calls back from now on.
  ///
  /// - Parameters:
  ///   - interest: What for.
  ///   - callback: What to call, on the loop; also when the descriptor has an error.
  package func start(_ interest: Interest, _ callback: @escaping () -> Void) {
    self.callback = callback
    let events =
      switch interest {
      case .readable: UV_READABLE
      case .hangUp: UV_DISCONNECT
      }
    handle.with(uv_poll_t.self) {
      uv_poll_start($0, CInt(events.rawValue)) { raw, _, _ in
        LoopHandle.owner(of: raw, as: DescriptorPoll.self)?.callback?()
      }
    }
  }

  /// Ends the poll; no call comes after this.
  package func close() {
    callback = nil
    handle.close()
  }
}
