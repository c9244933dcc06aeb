import EventLoop

/// A host and a port, as `Host` and `Origin` name them.
struct HTTPAuthority: Hashable {
  /// In lower case, an address of IPv6 in its brackets.
  let host: String
  /// Nil where it is the one that the scheme has.
  let port: UInt16?

  /// Reads `host`, `host:port`, `[address]` or `[address]:port`; nil if it is something else.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard !bytes.isEmpty, bytes.allSatisfy({ 0x21...0x7e ~= $0 }) else { return nil }
    var end = bytes.endIndex
    if bytes.first == UInt8(ascii: "[") {
      guard let closing = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = closing + 1
    } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      end = colon
    }
    let host = bytes[..<end]
    guard !host.isEmpty, !host.contains(where: { "/@?#\\,".utf8.contains($0) }) else { return nil }
    let rest = bytes[end...]
    if rest.isEmpty {
      port = nil
    } else {
      let digits = rest.dropFirst()
      guard rest.first == UInt8(ascii: ":"), digits.allSatisfy({ 48...57 ~= $0 }),
        let number = UInt16(String(decoding: digits, as: UTF8.self))
      else { return nil }
      port = number
    }
    self.host = String(decoding: host, as: UTF8.self).lowercased()
  }

  /// The host as an address; nil if it is a name.
  var address: SocketAddress? {
    host == "localhost" ? nil : SocketAddress(internet: "\(host):\(port ?? 80)")
  }

  /// Whether it is this machine, under the names that no one else can give to another.
  var isLoopback: Bool { host == "localhost" || address?.isLoopback == true }
}
