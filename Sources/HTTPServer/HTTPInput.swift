import CMicroHTTPD

/// Takes from libmicrohttpd what a client sent.
enum HTTPInput {
  /// The headers of the request that is coming in, in their order, names in lower case.
  static func headers(
    of raw: OpaquePointer, _ library: UnsafePointer<cmicrohttpd_library>
  ) -> [HTTPField] {
    var fields: [HTTPField] = []
    withUnsafeMutablePointer(to: &fields) { fields in
      _ = library.pointee.get_connection_values_n(
        raw, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          guard let name, let fields = context?.assumingMemoryBound(to: [HTTPField].self) else {
            return .YES
          }
          let field = HTTPField(
            HTTPInput.text(name, nameSize).lowercased(), HTTPInput.text(value, valueSize))
          fields.pointee.append(field)
          return .YES
        }, fields)
    }
    return fields
  }

  /// Whether something comes after the headers.
  static func hasBody(
    _ raw: OpaquePointer, _ library: UnsafePointer<cmicrohttpd_library>
  ) -> Bool {
    if library.pointee.lookup_connection_value(raw, .HEADER_KIND, "Transfer-Encoding") != nil {
      return true
    }
    guard let length = library.pointee.lookup_connection_value(raw, .HEADER_KIND, "Content-Length")
    else {
      return false
    }
    return String(cString: length) != "0"
  }

  /// The bytes before a NUL.
  static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] {
    var length = 0
    while text[length] != 0 { length += 1 }
    return Array(UnsafeRawBufferPointer(start: text, count: length))
  }

  private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
    guard let start else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
