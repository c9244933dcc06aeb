import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a socket listens.
public enum SocketAddress: Hashable, Sendable {
  /// A path in the file system.
  case local(path: String)
  /// A name outside the file system, which Linux knows and no permission protects.
  case abstract(name: String)
  /// A numeric address of IPv4 or IPv6, and a port; 0 lets the system choose one.
  case internet(host: String, port: UInt16)

  /// Reads an address and a port, such as `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`, or
  /// `8080`, which is the loopback's as well.
  ///
  /// Other names are not looked up: it would be somebody else's decision who can connect.
  ///
  /// - Parameter text: What was typed. It is nil if that is not such an address.
  public init?(internet text: String) {
    let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
    var host = colon.map { String(text[..<$0]) } ?? "localhost"
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard digits.utf8.allSatisfy({ 48...57 ~= $0 }), let port = UInt16(digits) else { return nil }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    if isBracketed { host = String(host.dropFirst().dropLast()) }
    if host == "localhost" { host = "127.0.0.1" }
    // A colon inside without brackets leaves open where the port begins.
    guard isBracketed == host.utf8.contains(UInt8(ascii: ":")) else { return nil }
    self = .internet(host: host, port: port)
    guard storage != nil else { return nil }
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool {
    guard case .internet(let host, _) = self else { return true }
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
    let bytes = withUnsafeBytes(of: six) { Array($0) }
    let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127]
    return bytes == [UInt8](repeating: 0, count: 15) + [1] || bytes.starts(with: mapped)
  }
}

extension SocketAddress: CustomStringConvertible {
  /// The address as one types it.
  public var description: String {
    switch self {
    case .local(let path): path
    case .abstract(let name): "@\(name)"
    case .internet(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
