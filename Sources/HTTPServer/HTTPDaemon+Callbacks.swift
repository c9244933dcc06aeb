import CMicroHTTPD

extension HTTPDaemon {
  /// What libmicrohttpd calls, all of it on the loop and inside `MHD_run` or `MHD_stop_daemon`.
  static var callbacks: cmicrohttpd_callbacks {
    cmicrohttpd_callbacks(
      context: nil, accepts: accepts, connection: connectionChanged, target: targetCame,
      request: requestCame, completed: requestCompleted)
  }

  /// The daemon that a callback is for.
  fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> HTTPDaemon? {
    context.map { Unmanaged<HTTPDaemon>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension HTTPConnection {
  /// The connection that a callback is for.
  fileprivate static func of(
    _ raw: OpaquePointer?, _ context: UnsafeMutableRawPointer?
  ) -> HTTPConnection? {
    guard let raw, let daemon = HTTPDaemon.of(context),
      let kept = cmicrohttpd_context(daemon.library, raw)
    else { return nil }
    return Unmanaged<HTTPConnection>.fromOpaque(kept).takeUnretainedValue()
  }
}

private let accepts: MHD_AcceptPolicyCallback = { context, _, _ in
  guard let daemon = HTTPDaemon.of(context) else { return .NO }
  if daemon.hasPlace { return .YES }
  daemon.refusedCount += 1
  return .NO
}

private let connectionChanged: MHD_NotifyConnectionCallback = { context, raw, kept, change in
  guard let daemon = HTTPDaemon.of(context), let raw, let kept else { return }
  if change == .CONNECTION_NOTIFY_STARTED {
    let connection = HTTPConnection(raw, of: daemon)
    kept.pointee = Unmanaged.passRetained(connection).toOpaque()
    daemon.entered(connection)
  } else if let pointer = kept.pointee {
    kept.pointee = nil
    let connection = Unmanaged<HTTPConnection>.fromOpaque(pointer).takeRetainedValue()
    connection.closed()
    daemon.left(connection)
  }
}

private let targetCame:
  @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
    UnsafeMutableRawPointer? = { context, text, raw in
      if let text { HTTPConnection.of(raw, context)?.target = HTTPInput.bytes(text) }
      return nil
    }

private let requestCame: MHD_AccessHandlerCallback = {
  context, raw, _, name, _, _, _, kept in
  guard let connection = HTTPConnection.of(raw, context), let kept, let name else { return .NO }
  // The first call is for those who would take a body in pieces.
  let isFirst = kept.pointee == nil
  kept.pointee = Unmanaged.passUnretained(connection).toOpaque()
  let method = HTTPRequest.Method(rawValue: String(cString: name))
  return connection.requestCame(method, isFirst: isFirst) ? .YES : .NO
}

private let requestCompleted: MHD_RequestCompletedCallback = { context, raw, kept, reason in
  kept?.pointee = nil
  HTTPConnection.of(raw, context)?.requestCompleted(reason)
}
