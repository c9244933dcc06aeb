import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Who was at the other end of a local socket when it was connected, as the kernel says.
public struct PeerCredentials: Hashable, Sendable {
  /// The effective user.
  public let user: UInt32
  /// The effective group.
  public let group: UInt32
  /// The process, which may have ended since; nil where the system does not tell.
  public let process: Int32?

  /// Makes credentials.
  ///
  /// - Parameters:
  ///   - user: The effective user.
  ///   - group: The effective group.
  ///   - process: The process, if it is known.
  public init(user: UInt32, group: UInt32, process: Int32?) {
    self.user = user
    self.group = group
    self.process = process
  }

  /// Those of this process.
  public static var own: PeerCredentials {
    PeerCredentials(user: geteuid(), group: getegid(), process: getpid())
  }

  /// Asks the kernel; nil if the socket has no peer that it could know.
  init?(of descriptor: CInt) {
    var user: UInt32 = 0
    var group: UInt32 = 0
    #if os(Linux)
      var process: CInt = 0
      guard clibuv_peer(descriptor, &process, &user, &group) == 0, user != UInt32.max else {
        return nil
      }
      // It is 0 where the peer's process has no number here, as from another container.
      self.init(user: user, group: group, process: process > 0 ? process : nil)
    #else
      guard getpeereid(descriptor, &user, &group) == 0 else { return nil }
      self.init(user: user, group: group, process: nil)
    #endif
  }
}
