import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A descriptor to write to, and the way to write to it that never blocks.
///
/// The inherited open file description may be shared with any process, so O_NONBLOCK is never
/// set on it.
struct Outlet {
  /// The ways to write.
  enum Way {
    /// Files and devices such as /dev/null: a write does not wait for a reader.
    case plain
    /// A pipe or terminal through an open file description of our own, which is non-blocking.
    case reopened
    /// A socket: each send says that it must not block.
    case socket
    /// A pipe or terminal that could not be opened again: ask first, and write no more than what
    /// a pipe that says "ready" takes at once.
    case paced
  }

  /// What became of an attempt to write.
  enum Outcome {
    case took(Int)
    case full
    case failed(OutputError)
  }

  let descriptor: CInt
  let way: Way

  init(_ inherited: CInt) {
    var status = stat()
    guard fstat(inherited, &status) == 0 else {
      (descriptor, way) = (inherited, .plain)  // The first write will say what is wrong.
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFSOCK:
      (descriptor, way) = (inherited, .socket)
    case S_IFIFO:
      (descriptor, way) = Self.reopen(inherited)
    case S_IFCHR where isatty(inherited) == 1:
      (descriptor, way) = Self.reopen(inherited)
    default:
      (descriptor, way) = (inherited, .plain)
    }
  }

  init(descriptor: CInt, way: Way) {
    (self.descriptor, self.way) = (descriptor, way)
  }

  /// Opens what is behind a descriptor a second time, which makes a new open file description.
  ///
  /// It is refused for another user's terminal, for a FIFO that nobody reads yet, and where there
  /// is no /proc (on macOS /dev/fd only duplicates).
  private static func reopen(_ inherited: CInt) -> (CInt, Way) {
    #if os(Linux)
      let own = open("/proc/self/fd/\(inherited)", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
      if own >= 0 { return (own, .reopened) }
    #endif
    return (inherited, .paced)
  }

  /// Closes what this opened, and nothing else.
  func closeOwn() {
    if way == .reopened { _ = close(descriptor) }
  }

  /// Offers bytes to the kernel once.
  func offer(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    while true {
      let taken: Int
      switch way {
      case .plain, .reopened: taken = write(descriptor, bytes.baseAddress, bytes.count)
      case .socket: taken = send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags)
      case .paced:
        var question = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&question, 1, 0) > 0 else { return .full }
        taken = write(descriptor, bytes.baseAddress, min(bytes.count, 4096))
      }
      if taken >= 0 { return .took(taken) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .full
      case EPIPE, ECONNRESET: return .failed(.readerGone)
      case let number: return .failed(.failed(number))
      }
    }
  }

  #if os(Linux)
    private static let sendFlags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
  #else
    private static let sendFlags = CInt(MSG_DONTWAIT)
  #endif
}
