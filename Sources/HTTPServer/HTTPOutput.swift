import CMicroHTTPD

/// Hands answers to libmicrohttpd.
enum HTTPOutput {
  /// Queues a whole answer.
  ///
  /// - Returns: Whether it was taken; if not, the connection must end.
  static func queue(
    _ response: HTTPResponse, on raw: OpaquePointer, _ library: UnsafePointer<cmicrohttpd_library>,
    thenEnd: Bool
  ) -> Bool {
    let made = response.body.withUnsafeBytes {
      // It copies, so that the pointer is not kept; and it never writes.
      library.pointee.create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let made else { return false }
    defer { library.pointee.destroy_response(made) }
    add(response.allHeaders, to: made, library)
    if thenEnd { add([HTTPField("Connection", "close")], to: made, library) }
    return library.pointee.queue_response(raw, response.status.rawValue, made) == .YES
  }

  /// Queues an answer whose end is not known.
  ///
  /// - Returns: Whether it was taken; if not, the connection must end.
  static func queue(
    _ stream: HTTPStream, on raw: OpaquePointer, _ library: UnsafePointer<cmicrohttpd_library>
  ) -> Bool {
    let kept = Unmanaged.passRetained(stream)
    // The block is for clients of HTTP/1.0, who know no chunks; others are written for in the
    // connection's own memory.
    let made = library.pointee.create_response_from_callback(
      UInt64.max, 1024,
      { context, _, buffer, room in
        guard let context, let buffer else { return HTTPStream.endedWithError }
        return Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
          .read(into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
      }, kept.toOpaque(),
      { context in if let context { Unmanaged<HTTPStream>.fromOpaque(context).release() } })
    guard let made else {
      kept.release()
      return false
    }
    defer { library.pointee.destroy_response(made) }
    add(stream.headers, to: made, library)
    return library.pointee.queue_response(raw, HTTPStatus.ok.rawValue, made) == .YES
  }

  private static func add(
    _ headers: [HTTPField], to response: OpaquePointer,
    _ library: UnsafePointer<cmicrohttpd_library>
  ) {
    for field in headers {
      let added = library.pointee.add_response_header(response, field.name, field.value)
      assert(added == .YES, "A header of ours has a line break in it.")
    }
  }
}
