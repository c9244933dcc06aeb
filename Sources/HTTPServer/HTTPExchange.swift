import EventLoop

/// One request that waits for its answer.
///
/// It is answered once, now or later. Whoever lets it go unanswered has the client told that
/// something went wrong here.
package final class HTTPExchange: @unchecked Sendable {
  // Sendable so that an actor on the loop can take it in; all but letting it go is for the loop.

  /// What is asked for.
  package let request: HTTPRequest
  /// Whether an answer would still reach somebody.
  package private(set) var isOpen = true
  /// Called, on the loop, when the client goes before it is answered.
  package var onAbandon: (() -> Void)?
  private let executor: LoopExecutor
  private let connection: HTTPConnection

  init(_ request: HTTPRequest, on connection: HTTPConnection, _ executor: LoopExecutor) {
    self.request = request
    self.connection = connection
    self.executor = executor
  }

  deinit {
    guard isOpen else { return }
    executor.perform { [connection] in connection.give(.whole(HTTPResponse(.unanswered))) }
  }

  /// Answers the request; what comes after the first answer is ignored.
  ///
  /// - Parameter response: The answer. To `HEAD` its body is left out.
  package func respond(_ response: HTTPResponse) {
    executor.checkIsolated()
    guard close() else { return }
    connection.give(.whole(response))
  }

  /// Answers with a fault.
  ///
  /// - Parameter fault: The fault.
  package func respond(_ fault: HTTPFault) { respond(HTTPResponse(fault)) }

  /// Answers by a stream, which goes on until it is finished or the client goes.
  ///
  /// - Parameters:
  ///   - contentType: The media type.
  ///   - headers: Further headers.
  ///   - limit: How many bytes may wait for the client to read.
  /// - Returns: The stream. It has ended already if the client is gone, and ends at once after
  ///   `HEAD`.
  package func stream(
    contentType: String, headers: [HTTPField] = [], limit: Int = 256 << 10
  ) -> HTTPStream {
    executor.checkIsolated()
    let all =
      HTTPResponse.headersOfAll(
        contentType: contentType, contentPolicy: HTTPResponse.nothingAllowed) + headers
    let stream = HTTPStream(headers: all, limit: limit, on: connection, executor)
    if !close() || !connection.give(.stream(stream)) { stream.ended(.peerGone) }
    return stream
  }

  /// Notes that the client is gone.
  func ended() {
    guard close() else { return }
    let onAbandon = onAbandon.take()
    onAbandon?()
  }

  /// - Returns: Whether it was open.
  private func close() -> Bool {
    defer { isOpen = false }
    return isOpen
  }
}
