/// How much clients may take.
package struct HTTPLimits: Hashable, Sendable {
  /// How many may be connected; some more are told that they are too many.
  package var connections: Int
  /// How many bytes a connection has for request line and headers, and for what goes out.
  ///
  /// It is taken with the connection and given back with it.
  package var connectionBytes: Int
  /// How long a connection may take until a request is whole, counted from its beginning or from
  /// the answer before.
  package var requestTimeout: Duration
  /// How long a client may take nothing of what waits for it, in whole seconds, rounded up.
  package var stallTimeout: Duration

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - connections: How many may be connected.
  ///   - connectionBytes: How many bytes a connection has.
  ///   - requestTimeout: How long until a request is whole.
  ///   - stallTimeout: How long a client may take nothing.
  package init(
    connections: Int = 64, connectionBytes: Int = 16 << 10,
    requestTimeout: Duration = .seconds(30), stallTimeout: Duration = .seconds(60)
  ) {
    self.connections = connections
    self.connectionBytes = connectionBytes
    self.requestTimeout = requestTimeout
    self.stallTimeout = stallTimeout
  }

  /// How many more are let in to be told that they are too many.
  ///
  /// Those beyond are closed at once, so that nobody has to wait for a place to learn that.
  var surplus: Int { 16 }

  var stallSeconds: UInt32 {
    let (seconds, rest) = stallTimeout.components
    return UInt32(clamping: max(1, rest > 0 ? seconds + 1 : seconds))
  }
}
