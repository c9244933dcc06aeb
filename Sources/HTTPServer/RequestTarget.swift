/// The path and the query that a request line names.
struct RequestTarget: Hashable {
  let path: String
  let query: [HTTPField]

  /// Reads a target in origin form, `/path?name=value&…`.
  ///
  /// Parts are cut before they are decoded, so that what was encoded never cuts. The forms of
  /// proxies, which name another host, are refused.
  ///
  /// - Throws: ``HTTPFault`` if it is in another form, or does not decode to UTF-8.
  init(_ target: [UInt8]) throws(HTTPFault) {
    guard target.first == UInt8(ascii: "/") else { throw .badTarget }
    let end = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
    path = try Self.decoded(target[..<end], isForm: false)
    var query: [HTTPField] = []
    for part in target[end...].dropFirst().split(separator: UInt8(ascii: "&")) {
      let cut = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      query.append(
        HTTPField(
          try Self.decoded(part[..<cut], isForm: true),
          try Self.decoded(part[cut...].dropFirst(), isForm: true)))
    }
    self.query = query
  }

  // In the query a plus means a space, as in what forms send.
  private static func decoded(
    _ encoded: ArraySlice<UInt8>, isForm: Bool
  ) throws(HTTPFault) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var rest = encoded
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(nibble), let low = rest.popFirst().flatMap(nibble)
        else { throw .badTarget }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .badTarget }
    return text
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
