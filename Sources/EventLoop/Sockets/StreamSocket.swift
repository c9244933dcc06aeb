import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system calls on stream sockets, whose descriptors close on exec and never block.
///
/// Where they do not throw they return 0 or the system's error number.
enum StreamSocket {
  /// What `SO_TYPE` says of a stream socket.
  #if os(Linux)
    static let kind = CInt(SOCK_STREAM.rawValue)
  #else
    static let kind = SOCK_STREAM
  #endif

  /// Makes a socket that is not connected.
  static func make(_ family: CInt) throws(LoopError) -> CInt {
    #if os(Linux)
      let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
      let descriptor = socket(family, CInt(kind), 0)
      guard descriptor >= 0 else { throw LoopError("socket", number: errno) }
    #else
      let descriptor = socket(family, SOCK_STREAM, 0)
      guard descriptor >= 0 else { throw LoopError("socket", number: errno) }
      makeOwn(descriptor)
    #endif
    return descriptor
  }

  static func bind(_ descriptor: CInt, _ address: SocketAddress.Storage) -> CInt {
    #if canImport(Glibc)
      address.with { Glibc.bind(descriptor, $0, $1) } == 0 ? 0 : errno
    #else
      address.with { Darwin.bind(descriptor, $0, $1) } == 0 ? 0 : errno
    #endif
  }

  static func listen(_ descriptor: CInt) -> CInt {
    // The system cuts it to what it allows.
    #if canImport(Glibc)
      Glibc.listen(descriptor, 1024) == 0 ? 0 : errno
    #else
      Darwin.listen(descriptor, 1024) == 0 ? 0 : errno
    #endif
  }

  static func connect(_ descriptor: CInt, _ address: SocketAddress.Storage) -> CInt {
    #if canImport(Glibc)
      address.with { Glibc.connect(descriptor, $0, $1) } == 0 ? 0 : errno
    #else
      address.with { Darwin.connect(descriptor, $0, $1) } == 0 ? 0 : errno
    #endif
  }

  /// Connects and closes again, to learn whether somebody listens.
  static func probe(_ address: SocketAddress.Storage) -> CInt {
    do throws(LoopError) {
      let descriptor = try make(address.family)
      defer { closeDescriptor(descriptor) }
      return connect(descriptor, address)
    } catch {
      return error.number
    }
  }

  /// Takes the next connection of a listening socket.
  ///
  /// - Returns: The connection's descriptor, or -1 with the reason in `errno`.
  static func accept(_ listening: CInt) -> CInt {
    #if os(Linux)
      return clibuv_accept(listening)
    #else
      let descriptor = Darwin.accept(listening, nil, nil)
      if descriptor >= 0 { makeOwn(descriptor) }
      return descriptor
    #endif
  }

  /// Switches an option on.
  static func set(_ descriptor: CInt, _ level: CInt, _ option: CInt) {
    var on: CInt = 1
    setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  /// The value of an option of the socket layer, or nil if the descriptor is no socket.
  static func option(_ option: CInt, of descriptor: CInt) -> CInt? {
    var value: CInt = 0
    var length = socklen_t(MemoryLayout<CInt>.size)
    return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
  }

  #if !os(Linux)
    private static func makeOwn(_ descriptor: CInt) {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      set(descriptor, SOL_SOCKET, SO_NOSIGPIPE)
    }
  #endif
}

/// Closes a descriptor, whatever becomes of it.
func closeDescriptor(_ descriptor: CInt) {
  #if canImport(Glibc)
    _ = Glibc.close(descriptor)
  #else
    _ = Darwin.close(descriptor)
  #endif
}
