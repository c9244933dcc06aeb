/// Why a request is not answered as it was asked.
package struct HTTPFault: Error, Hashable, Sendable {
  /// The answer's status.
  package let status: HTTPStatus
  /// The kind of failure, for programs.
  package let code: String
  /// What failed and why; nothing of what came with the request is in it.
  package let message: String
  /// What to do, when there is something to do.
  package let hint: String?
  /// Headers that belong to the status.
  package let headers: [HTTPField]

  /// Makes a fault.
  ///
  /// - Parameters:
  ///   - status: The answer's status.
  ///   - code: The kind of failure.
  ///   - message: What failed and why.
  ///   - hint: What to do.
  ///   - headers: Headers that belong to the status.
  package init(
    _ status: HTTPStatus, _ code: String, _ message: String, hint: String? = nil,
    headers: [HTTPField] = []
  ) {
    self.status = status
    self.code = code
    self.message = message
    self.hint = hint
    self.headers = headers
  }
}

extension HTTPFault {
  /// The request line names something that is no path of this server's.
  package static let badTarget = HTTPFault(
    .badRequest, "badRequest", "the request's target is not a path with a query in UTF-8",
    hint: "percent-encode what is not a letter or a digit")

  /// There is nothing at the path.
  package static let notFound = HTTPFault(
    .notFound, "notFound", "there is nothing at this path")

  /// Something else than reading was asked for.
  package static let methodNotAllowed = HTTPFault(
    .methodNotAllowed, "methodNotAllowed", "this server is only read from",
    hint: "use GET or HEAD", headers: [HTTPField("Allow", "GET, HEAD")])

  /// Something came along with the request.
  package static let bodyRefused = HTTPFault(
    .contentTooLarge, "bodyRefused", "a request to this server has no body",
    hint: "pass parameters in the query")

  /// Too many are connected.
  package static let tooManyConnections = HTTPFault(
    .unavailable, "tooManyConnections", "as many clients are connected as are allowed",
    hint: "try again later, or raise the limit", headers: [HTTPField("Retry-After", "5")])

  /// Whoever should have answered went without doing so.
  package static let unanswered = HTTPFault(
    .internalError, "internal", "the request was not answered")
}
