import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Calls back when the process gets one of some signals, which then no longer end it.
///
/// Confined to the loop. When the last reference goes, the signals act as before.
public final class SignalWatch {
  /// A signal that asks a program to do something.
  public struct Signal: Hashable, Sendable {
    /// The system's number for it.
    public let number: CInt

    /// SIGINT, what Ctrl-C sends.
    public static let interrupt = Signal(number: SIGINT)
    /// SIGTERM, what a service manager sends.
    public static let terminate = Signal(number: SIGTERM)
    /// SIGHUP, sent when the terminal goes away, or to have the configuration read again.
    public static let hangUp = Signal(number: SIGHUP)
  }

  private var handles: [LoopHandle] = []
  private let callback: (Signal) -> Void

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - signals: Which signals.
  ///   - executor: The loop that calls back.
  ///   - callback: What to call, with the signal that came. Several of one kind may come as one.
  /// - Throws: ``LoopError`` if the system refuses.
  public init(
    _ signals: [Signal], on executor: LoopExecutor, _ callback: @escaping (Signal) -> Void
  ) throws(LoopError) {
    self.callback = callback
    for signal in signals {
      let handle = try LoopHandle(
        UV_SIGNAL, as: uv_signal_t.self, on: executor, "uv_signal_init", initialize: uv_signal_init)
      handle.belong(to: self)
      handles.append(handle)
      let status = handle.with(uv_signal_t.self) { watch in
        uv_signal_start(
          watch, { LoopHandle.owner(of: $0, as: SignalWatch.self)?.came(Signal(number: $1)) },
          signal.number)
      }
      try check("uv_signal_start", status ?? 0)
    }
  }

  deinit { close() }

  /// Stops watching; no call comes after this.
  public func close() {
    for handle in handles { handle.close() }
    handles = []
  }

  private func came(_ signal: Signal) {
    callback(signal)
  }
}
