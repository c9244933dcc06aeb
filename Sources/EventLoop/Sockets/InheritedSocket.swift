#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket that the service manager made and handed over.
///
/// The protocol is that of `sd_listen_fds(3)`: `LISTEN_PID` names the process that is meant,
/// `LISTEN_FDS` says how many there are, from descriptor 3 on, and `LISTEN_FDNAMES` what they are
/// called.
public struct InheritedSocket: Equatable, Sendable {
  /// What the socket unit calls it, `unknown` if it has no name.
  public let name: String
  /// The descriptor.
  public let descriptor: CInt

  /// The sockets that this process was handed; none if it was not, or another process is meant.
  ///
  /// Programs that are started from here do not get them.
  ///
  /// - Returns: The sockets, in the order of the unit.
  public static func all() -> [InheritedSocket] {
    all(in: ProcessEnvironment.value, process: getpid(), from: 3)
  }

  static func all(
    in environment: (String) -> String?, process: pid_t, from first: CInt
  ) -> [InheritedSocket] {
    guard environment("LISTEN_PID").flatMap({ pid_t($0) }) == process,
      let count = environment("LISTEN_FDS").flatMap({ CInt($0) }), (1...4096).contains(count)
    else { return [] }
    let names = environment("LISTEN_FDNAMES").map {
      $0.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }
    return (0..<count).map { place in
      _ = fcntl(first + place, F_SETFD, FD_CLOEXEC)
      let name = names.flatMap { $0.indices.contains(Int(place)) ? $0[Int(place)] : nil }
      return InheritedSocket(name: name ?? "unknown", descriptor: first + place)
    }
  }
}
