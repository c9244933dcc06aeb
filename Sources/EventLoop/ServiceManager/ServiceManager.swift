import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Tells the service manager how the program is doing.
///
/// The protocol is that of `sd_notify(3)`: a datagram of lines to the socket that `NOTIFY_SOCKET`
/// names. Its socket is opened once, so that a process without any descriptor left can still say
/// that it lives. Confined to the loop.
public final class ServiceManager {
  /// How often ``Message/watchdog`` has to be sent at least; nil if nobody waits for it.
  ///
  /// Send it twice as often: a manager that misses it ends the process.
  public let watchdogInterval: Duration?

  private let descriptor: CInt
  private let address: SocketAddress.Storage

  /// Finds the service manager that started this process.
  ///
  /// - Returns: The manager, or nil if there is none that wants to be told.
  /// - Throws: ``LoopError`` if there is one, and no socket to reach it could be made.
  public static func current() throws(LoopError) -> ServiceManager? {
    try ServiceManager(in: ProcessEnvironment.value, process: getpid())
  }

  init?(in environment: (String) -> String?, process: pid_t) throws(LoopError) {
    guard let name = environment("NOTIFY_SOCKET"), name.count > 1 else { return nil }
    let address: SocketAddress? =
      switch name.first {
      case "/": .local(path: name)
      case "@": .abstract(name: String(name.dropFirst()))
      default: nil
      }
    guard let storage = address?.storage else {
      throw LoopError("connect", number: EAFNOSUPPORT)
    }
    self.address = storage
    watchdogInterval = Self.watchdogInterval(in: environment, process: process)
    #if os(Linux)
      descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    guard descriptor >= 0 else { throw LoopError("socket", number: errno) }
    // A manager that is slow to read is waited for, but not for long.
    var patience = timeval(tv_sec: 0, tv_usec: 100_000)
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { closeDescriptor(descriptor) }

  private static func watchdogInterval(
    in environment: (String) -> String?, process: pid_t
  ) -> Duration? {
    if let meant = environment("WATCHDOG_PID"), pid_t(meant) != process { return nil }
    guard let text = environment("WATCHDOG_USEC"), let microseconds = Int64(text),
      microseconds > 0
    else { return nil }
    return .microseconds(microseconds)
  }

  /// Tells the manager something.
  ///
  /// - Parameter messages: What to tell, all at once.
  /// - Throws: ``LoopError`` if the manager could not be reached, also within a tenth of a second.
  public func tell(_ messages: Message...) throws(LoopError) {
    let lines = messages.map(\.lines).joined(separator: "\n")
    #if os(Linux)
      let flags = CInt(MSG_NOSIGNAL)
    #else
      let flags: CInt = 0
    #endif
    var text = lines
    while true {
      let sent = text.withUTF8 { bytes in
        address.with { sendto(descriptor, bytes.baseAddress, bytes.count, flags, $0, $1) }
      }
      guard sent < 0 else { return }
      guard errno == EINTR else { throw LoopError("sendto", number: errno) }
    }
  }
}
