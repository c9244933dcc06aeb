import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SocketAddress {
  /// An address as the system has it.
  struct Storage {
    var bytes = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

    /// The family, such as `AF_UNIX`.
    var family: CInt { CInt(bytes.ss_family) }

    /// Calls `body` with the address.
    func with<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
      withUnsafePointer(to: bytes) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
      }
    }

    /// Lets `body` put an address in.
    mutating func fill(
      _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> CInt {
      withUnsafeMutablePointer(to: &bytes) { bytes in
        withUnsafeMutablePointer(to: &length) { length in
          bytes.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
      }
    }
  }

  /// Where the path begins in the address of a local socket.
  private static let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2

  /// How many bytes a path may have, the NUL after it not counted.
  static let pathLimit = MemoryLayout<sockaddr_un>.size - pathOffset - 1

  /// The address as the system has it, or nil if the system cannot express it.
  var storage: Storage? {
    switch self {
    case .local(let path):
      let bytes = Array(path.utf8)
      guard !bytes.isEmpty, bytes.count <= Self.pathLimit, !bytes.contains(0) else { return nil }
      return Self.local(bytes + [0])
    case .abstract(let name):
      guard name.utf8.count <= Self.pathLimit else { return nil }
      return Self.local([0] + Array(name.utf8))
    case .internet(let host, let port):
      var storage = Storage()
      let isFour = storage.fill { address, length in
        length.pointee = socklen_t(MemoryLayout<sockaddr_in>.size)
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          uv_ip4_addr(host, CInt(port), $0)
        }
      }
      if isFour == 0 { return storage }
      let isSix = storage.fill { address, length in
        length.pointee = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          uv_ip6_addr(host, CInt(port), $0)
        }
      }
      return isSix == 0 ? storage : nil
    }
  }

  private static func local(_ path: [UInt8]) -> Storage {
    var storage = Storage()
    storage.bytes.ss_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &storage.bytes) { bytes in
      bytes[pathOffset..<pathOffset + path.count].copyBytes(from: path)
    }
    storage.length = socklen_t(pathOffset + path.count)
    return storage
  }

  /// The address that a socket is bound to.
  ///
  /// - Parameter descriptor: The socket.
  /// - Throws: ``LoopError`` if it is no socket, or of a family that is not known here.
  init(of descriptor: CInt) throws(LoopError) {
    var storage = Storage()
    guard storage.fill({ getsockname(descriptor, $0, $1) }) == 0 else {
      throw LoopError("getsockname", number: errno)
    }
    switch storage.family {
    case AF_UNIX:
      let all = withUnsafeBytes(of: storage.bytes) { Array($0.prefix(Int(storage.length))) }
      let path = all.dropFirst(Self.pathOffset)
      if path.first == 0, path.count > 1 {
        self = .abstract(name: String(decoding: path.dropFirst(), as: UTF8.self))
      } else {
        self = .local(path: String(decoding: path.prefix { $0 != 0 }, as: UTF8.self))
      }
    case AF_INET, AF_INET6:
      var name = [CChar](repeating: 0, count: 64)
      let (status, port) = storage.with { address, _ in
        storage.family == AF_INET
          ? address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
            (uv_ip4_name($0, &name, name.count), UInt16(bigEndian: $0.pointee.sin_port))
          }
          : address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
            (uv_ip6_name($0, &name, name.count), UInt16(bigEndian: $0.pointee.sin6_port))
          }
      }
      try check("uv_ip6_name", status)
      let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      self = .internet(host: String(decoding: host, as: UTF8.self), port: port)
    default:
      throw LoopError("getsockname", number: EAFNOSUPPORT)
    }
  }
}
