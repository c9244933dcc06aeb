import CMicroHTTPD
import EventLoop

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One client's connection, with one request after the other.
///
/// While nothing can be sent, since the answer is not made yet or a stream has nothing to tell, it
/// is suspended: libmicrohttpd leaves it alone, and does not notice that the client goes either.
/// Then a poll of our own does.
final class HTTPConnection: @unchecked Sendable {
  // Sendable so that an exchange may be let go anywhere; touched only on the loop.

  /// What is to be sent when libmicrohttpd asks again.
  enum Answer {
    case whole(HTTPResponse)
    case stream(HTTPStream)
  }

  /// What stands in the request line of the request that is coming in.
  var target: [UInt8] = []
  /// When a request must be whole; nil while one is answered.
  var deadline: ContinuousClock.Instant?
  private unowned let daemon: HTTPDaemon
  /// Nil once it is closed.
  private var raw: OpaquePointer?
  private let descriptor: CInt
  /// Whether it was only let in to be told that there are too many.
  private let isSurplus: Bool
  private var isSuspended = false
  /// Whether it ends without an answer.
  private var isAborted = false
  /// Whether a request was handed out and its answer is not all out.
  private var isAsked = false
  /// The request that was handed out; whoever answers keeps it.
  private weak var exchange: HTTPExchange?
  private var answer: Answer?
  private var stream: HTTPStream?
  private var hangUp: DescriptorPoll?

  init(_ raw: OpaquePointer, of daemon: HTTPDaemon) {
    self.raw = raw
    self.daemon = daemon
    descriptor = cmicrohttpd_descriptor(daemon.library, raw)
    isSurplus = daemon.connections.count >= daemon.limits.connections
  }

  /// Whether no request is being answered.
  private var isIdle: Bool { !isAsked && stream == nil }

  /// Decides about a request whose headers are there.
  ///
  /// - Returns: Whether the connection goes on.
  func requestCame(_ method: HTTPRequest.Method?, isFirst: Bool) -> Bool {
    guard let raw, !isAborted else { return false }
    if let answer {
      self.answer = nil
      return send(answer)
    }
    // It was resumed without an answer.
    guard !isAsked else { return false }
    if isFirst {
      // What has a body is refused before it comes, and the connection ends with that.
      if method == nil { return refuse(.methodNotAllowed, thenEnd: true) }
      return HTTPInput.hasBody(raw, daemon.library) ? refuse(.bodyRefused, thenEnd: true) : true
    }
    guard let method else { return false }
    deadline = nil
    if isSurplus {
      daemon.refusedCount += 1
      return refuse(.tooManyConnections, thenEnd: true)
    }
    do throws(HTTPFault) {
      let request = try HTTPRequest(
        method, target: target, headers: HTTPInput.headers(of: raw, daemon.library))
      if let fault = daemon.watchman.refusal(of: request) { throw fault }
      ask(HTTPExchange(request, on: self, daemon.executor))
    } catch {
      return refuse(error, thenEnd: false)
    }
    return true
  }

  /// Has somebody answer, outside of libmicrohttpd.
  private func ask(_ exchange: HTTPExchange) {
    self.exchange = exchange
    isAsked = true
    suspend()
    daemon.afterwards { [self] in
      daemon.handler?(exchange.request, exchange)
      // Most are answered at once, and nobody has to look whether the client stays.
      if isSuspended { watchHangUp() }
    }
  }

  /// Sends an answer as soon as libmicrohttpd asks for it.
  ///
  /// - Returns: Whether somebody still waits for one.
  @discardableResult
  func give(_ answer: Answer) -> Bool {
    guard isAsked, self.answer == nil, stream == nil else { return false }
    self.answer = answer
    resume()
    return true
  }

  private func refuse(_ fault: HTTPFault, thenEnd: Bool) -> Bool {
    guard let raw else { return false }
    return HTTPOutput.queue(
      HTTPResponse(fault), on: raw, daemon.library, thenEnd: thenEnd || daemon.isLeaving)
  }

  private func send(_ answer: Answer) -> Bool {
    guard let raw else { return false }
    switch answer {
    case .whole(let response):
      return HTTPOutput.queue(response, on: raw, daemon.library, thenEnd: daemon.isLeaving)
    case .stream(let stream):
      self.stream = stream
      watchHangUp()
      return HTTPOutput.queue(stream, on: raw, daemon.library)
    }
  }

  /// Notes that the answer is out, or that the client is gone.
  func requestCompleted(_ reason: MHD_RequestTerminationCode) {
    hangUp.take()?.close()
    isAsked = false
    let exchange = exchange
    self.exchange = nil
    let unsent = answer.take()
    var stream = self.stream.take()
    if case .stream(let other) = unsent { stream = other }
    if exchange != nil || stream != nil {
      let ending = HTTPStream.Ending(reason, isStopped: isAborted)
      daemon.afterwards {
        exchange?.ended()
        stream?.ended(ending)
      }
    }
    if daemon.isLeaving { cut() } else { daemon.awaitRequest(of: self) }
  }

  /// Forgets libmicrohttpd's connection, which is about to be freed.
  func closed() {
    hangUp.take()?.close()
    raw = nil
    deadline = nil
  }

  /// Leaves the connection alone until it is resumed; for callbacks of libmicrohttpd only.
  func suspend() {
    guard let raw, !isSuspended else { return }
    isSuspended = true
    daemon.library.pointee.suspend_connection(raw)
  }

  /// Has libmicrohttpd ask again.
  func resume() {
    guard let raw, isSuspended else { return }
    isSuspended = false
    daemon.library.pointee.resume_connection(raw)
    daemon.turnSoon()
  }

  private func watchHangUp() {
    guard hangUp == nil, raw != nil else { return }
    // Without one the client's end is noticed when next something is sent.
    hangUp = try? DescriptorPoll(descriptor, on: daemon.executor)
    hangUp?.start(.hangUp) { [unowned self] in
      hangUp.take()?.close()
      // One who has closed only his half could still read; but one who has gone cannot be told
      // from him, and clients that read a stream do not do the former.
      stream?.cancel(as: .peerGone)
      resume()
    }
  }

  /// Ends the connection as if the client had.
  func cut() {
    if raw != nil { shutdown(descriptor, CInt(SHUT_RDWR)) }
  }

  /// Ends it if nothing is going on, and a stream once all that waits is out.
  func leave() {
    stream?.finish()
    if isIdle { cut() }
  }

  /// Ends it now; libmicrohttpd is about to stop.
  func abort() {
    isAborted = true
    stream?.cancel(as: .stopped)
    resume()
  }

  /// Calls something once libmicrohttpd has returned.
  func afterwards(_ notice: @escaping () -> Void) { daemon.afterwards(notice) }
}
