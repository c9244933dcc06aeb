package import EventLoop
package import HistoryModel

/// Answers requests at an address.
///
/// ```swift
/// let listener = try HTTPListener(address, on: executor) { request, exchange in
///   exchange.respond(.json(status))
/// }
/// ```
///
/// Only `GET` and `HEAD` from those whom ``HTTPGuard`` lets through are asked about; everything
/// else is refused here. Confined to the loop, except that the last reference may be dropped
/// anywhere.
package final class HTTPListener {
  private let daemon: HTTPDaemon

  /// Begins to listen at an address.
  ///
  /// - Parameters:
  ///   - address: Where; port 0 lets the system choose one.
  ///   - limits: How much clients may take.
  ///   - access: Who may ask.
  ///   - executor: The loop that it lives on.
  ///   - handler: Called, on the loop, for each request. It answers now or later.
  /// - Throws: `HistoryError`: `usage` if others could ask without a token, `temporary` if the
  ///   address is taken or the system refuses.
  package convenience init(
    _ address: SocketAddress, limits: HTTPLimits = HTTPLimits(), access: HTTPAccess = HTTPAccess(),
    on executor: LoopExecutor, _ handler: @escaping (HTTPRequest, HTTPExchange) -> Void
  ) throws(HistoryError) {
    // Before anybody can connect.
    _ = try HTTPGuard(address: address, access: access)
    let socket: ListeningSocket
    do throws(SocketListener.Refusal) {
      socket = try ListeningSocket(address)
    } catch { throw Self.error(error, at: "\(address)") }
    try self.init(socket, limits, access, on: executor, handler)
  }

  /// Listens at a socket that the service manager made, which stays where it is afterwards.
  ///
  /// - Parameters:
  ///   - inherited: The socket; it must not be used otherwise from now on.
  ///   - limits: How much clients may take.
  ///   - access: Who may ask.
  ///   - executor: The loop that it lives on.
  ///   - handler: Called, on the loop, for each request.
  /// - Throws: `HistoryError`: `usage` if others could ask without a token, or the socket is none
  ///   of the Internet that listens, `temporary` if the system refuses.
  package convenience init(
    taking inherited: InheritedSocket, limits: HTTPLimits = HTTPLimits(),
    access: HTTPAccess = HTTPAccess(), on executor: LoopExecutor,
    _ handler: @escaping (HTTPRequest, HTTPExchange) -> Void
  ) throws(HistoryError) {
    let socket: ListeningSocket
    do throws(SocketListener.Refusal) {
      socket = try ListeningSocket(taking: inherited)
    } catch { throw Self.error(error, at: "the socket \(inherited.name)") }
    try self.init(socket, limits, access, on: executor, handler)
  }

  private init(
    _ socket: ListeningSocket, _ limits: HTTPLimits, _ access: HTTPAccess,
    on executor: LoopExecutor, _ handler: @escaping (HTTPRequest, HTTPExchange) -> Void
  ) throws(HistoryError) {
    executor.checkIsolated()
    guard MicroHTTPD.library != nil else {
      throw HistoryError(
        .temporary, "serving HTTP needs libmicrohttpd, which is not installed",
        hint: "install the package libmicrohttpd12")
    }
    let watchman = try HTTPGuard(address: socket.address, access: access)
    do throws(LoopError) {
      daemon = try HTTPDaemon(socket, limits: limits, watchman: watchman, on: executor, handler)
    } catch { throw Self.error(.failed(error), at: "\(socket.address)") }
  }

  deinit {
    if daemon.executor.isIsolatingCurrentContext() == true {
      daemon.stop()
    } else {
      daemon.executor.perform { [daemon] in daemon.stop() }
    }
  }

  /// Where it listens, with the port that the system chose if it was to choose one.
  package var address: SocketAddress { daemon.address }

  /// How many are connected.
  package var connectionCount: Int { daemon.connections.count }

  /// How many were turned away since too many were connected.
  package var refusedCount: Int { daemon.refusedCount }

  /// Stops at once: everybody is disconnected, and every stream ends.
  package func stop() {
    daemon.executor.checkIsolated()
    daemon.stop()
  }

  /// Stops once everybody has what was meant for him: no one new is let in, streams are finished,
  /// and what is asked is still answered.
  ///
  /// - Parameter limit: How long that may take; then it stops at once.
  package nonisolated(nonsending) func shutDown(within limit: Duration) async {
    daemon.executor.checkIsolated()
    daemon.leave()
    // Without a gate there is nothing to wait at; libuv never refuses one.
    if let gate = try? LoopGate(on: daemon.executor) {
      let end = ContinuousClock.now + limit
      daemon.onLeave = { gate.open() }
      while !daemon.connections.isEmpty, ContinuousClock.now < end {
        guard await gate.wait(for: ContinuousClock.now.duration(to: end)) else { break }
      }
      daemon.onLeave = nil
    }
    daemon.stop()
  }

  private static func error(_ refusal: SocketListener.Refusal, at place: String) -> HistoryError {
    switch refusal {
    case .taken:
      HistoryError(
        .temporary, "somebody listens at \(place) already",
        hint: "end that program, or choose another port", cause: refusal)
    case .notListening:
      HistoryError(
        .usage, "\(place) is not a stream socket that listens",
        hint: "hand over a socket unit with ListenStream=", cause: refusal)
    case .failed(let error):
      HistoryError(
        .temporary, "listening at \(place) failed: \(error.reason)",
        hint: error.isNotAllowed
          ? "choose a port from 1024, or hand over a socket: those below are for root"
          : "choose another address or port", cause: refusal)
    default:
      HistoryError(
        .temporary, "listening at \(place) failed: \(refusal)",
        hint: "choose another address or port", cause: refusal)
    }
  }
}
