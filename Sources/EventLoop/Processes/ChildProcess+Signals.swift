#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SignalWatch.Signal {
  /// SIGKILL, which ends a process at once and cannot be caught, so it is only sent.
  public static let kill = SignalWatch.Signal(number: SIGKILL)
  /// SIGQUIT, what Ctrl-\ sends.
  public static let quit = SignalWatch.Signal(number: SIGQUIT)
}
