import Testing

@testable import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is at a path: its kind and its permissions.
struct FileState: Equatable {
  let kind: mode_t
  let permissions: mode_t
  let inode: UInt64

  /// Looks without following a link; nil if nothing is there.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    kind = status.st_mode & S_IFMT
    permissions = status.st_mode & 0o777
    inode = UInt64(status.st_ino)
  }

  var isSocket: Bool { kind == S_IFSOCK }
}

/// A socket bound to a path as another program would, closed when it goes; the file stays.
final class ForeignSocket: Sendable {
  let descriptor: CInt

  init(at path: String, isListening: Bool, backlog: CInt = 16, isDatagram: Bool = false) throws {
    #if os(Linux)
      // Other tests start processes meanwhile.
      let kind = CInt((isDatagram ? SOCK_DGRAM : SOCK_STREAM).rawValue | SOCK_CLOEXEC.rawValue)
    #else
      let kind = isDatagram ? SOCK_DGRAM : SOCK_STREAM
    #endif
    descriptor = socket(AF_UNIX, kind, 0)
    let address = try #require(SocketAddress.local(path: path).storage)
    guard StreamSocket.bind(descriptor, address) == 0 else { throw SystemFailure(number: errno) }
    if isListening, listen(descriptor, backlog) != 0 { throw SystemFailure(number: errno) }
  }

  deinit {
    // A process that is being started has a copy for a moment.
    shutdown(descriptor, CInt(SHUT_RDWR))
    close(descriptor)
  }
}

/// Both ends of a connection, made through a listener.
struct ConnectedPair {
  let ours: SocketConnection
  let theirs: SocketConnection

  nonisolated(nonsending) init(
    at address: SocketAddress, queueLimit: Int = 256 << 10, on executor: LoopExecutor
  ) async throws {
    let listener = try SocketListener(address, queueLimit: queueLimit, on: executor)
    theirs = try await SocketConnection.connect(to: listener.address, on: executor)
    ours = try await listener.accept()
    listener.close()
  }
}

extension SocketConnection {
  /// Reads until there are this many bytes, or the end.
  nonisolated(nonsending) func read(exactly count: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let piece = try await read(atMost: count - bytes.count)
      if piece.isEmpty { break }
      bytes += piece
    }
    return bytes
  }

  /// Sends a message however long that takes.
  nonisolated(nonsending) func sendAll(_ message: [UInt8]) async throws {
    while true {
      switch offer(message) {
      case .taken: return
      case .full: try await drained(to: 0)
      case .gone: throw OutputError.readerGone
      }
    }
  }
}

#if os(Linux)
  /// Runs a test's body on a loop whose thread has descriptors and a umask of its own.
  ///
  /// What other tests open meanwhile does not count, and a thread that has no descriptor left
  /// takes none from others.
  func onSecludedLoop(
    _ body: @escaping @Sendable (LoopExecutor) async throws -> Void
  ) async throws {
    try await onLoop { executor in
      // Swift's Glibc does not show it; CLONE_FS and CLONE_FILES.
      let symbol = try #require(dlsym(nil, "unshare"))
      let unshare = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
      try #require(unshare(0x200 | 0x400) == 0)
      try await body(executor)
    }
  }

  /// How many descriptors the calling thread has.
  func openDescriptorCount() -> Int {
    (0..<4096).count { fcntl(CInt($0), F_GETFD) >= 0 }
  }
#endif
