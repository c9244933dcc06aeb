import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file by which others find a listening socket.
struct SocketFile {
  private let path: String
  private let identity: Identity

  /// Which file it is, whatever it is called.
  private struct Identity: Equatable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  /// Binds a socket to a path and lets it listen, with its permissions from the moment it exists.
  ///
  /// What is at the path is replaced only if it is a socket at which nobody listens. In one
  /// directory they take turns: a socket that was bound a moment ago and does not listen yet would
  /// look like one that was left behind.
  static func listen(
    _ descriptor: CInt, at path: String, permissions: mode_t,
    tries: Int = DirectoryTurn.shortWait
  ) throws(SocketListener.Refusal) -> SocketFile {
    guard let address = SocketAddress.local(path: path).storage else {
      throw .badPath(limit: SocketAddress.pathLimit)
    }
    let turn = DirectoryTurn(of: path, tries: tries)
    defer { turn?.end() }
    var failure = bind(descriptor, address, permissions)
    if failure == EADDRINUSE {
      try removeStale(path, address)
      failure = bind(descriptor, address, permissions)
    }
    guard failure == 0 else {
      throw failure == EADDRINUSE ? .taken : .failed(LoopError("bind", number: failure))
    }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw .failed(LoopError("lstat", number: errno)) }
    let file = SocketFile(path: path, identity: Identity(status))
    // A strict umask took away something that was asked for: it is given back.
    if status.st_mode & 0o777 != permissions, chmod(path, permissions) != 0 {
      failure = errno
      file.remove()
      throw .failed(LoopError("chmod", number: failure))
    }
    failure = StreamSocket.listen(descriptor)
    guard failure == 0 else {
      file.remove()
      throw .failed(LoopError("listen", number: failure))
    }
    return file
  }

  /// Removes the file, unless another one has taken its place.
  ///
  /// The socket must still be open: the kernel then keeps the inode, whose number nobody else can
  /// get meanwhile.
  func remove() {
    var status = stat()
    if lstat(path, &status) == 0, Identity(status) == identity { unlink(path) }
  }

  static func bind(
    _ descriptor: CInt, _ address: SocketAddress.Storage, _ permissions: mode_t
  ) -> CInt {
    #if os(Linux)
      // The file gets the permissions that the socket has before it is bound, less the umask. To
      // change them afterwards would leave a moment for others to connect in, and the umask
      // belongs to all threads.
      guard fchmod(descriptor, permissions) == 0 else { return errno }
      return StreamSocket.bind(descriptor, address)
    #else
      let previous = umask(0o777 & ~permissions)
      defer { umask(previous) }
      return StreamSocket.bind(descriptor, address)
    #endif
  }

  /// Removes a socket that was left behind, after a connection to it was refused.
  private static func removeStale(
    _ path: String, _ address: SocketAddress.Storage
  ) throws(SocketListener.Refusal) {
    var found = stat()
    guard lstat(path, &found) == 0 else {
      // It went a moment ago.
      if errno == ENOENT { return }
      throw .failed(LoopError("lstat", number: errno))
    }
    guard found.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket }
    switch StreamSocket.probe(address) {
    case 0, EAGAIN, EINPROGRESS, EPROTOTYPE: throw .taken
    case ENOENT: return
    case ECONNREFUSED: break
    case let number: throw .failed(LoopError("connect", number: number))
    }
    SocketFile(path: path, identity: Identity(found)).remove()
  }
}
