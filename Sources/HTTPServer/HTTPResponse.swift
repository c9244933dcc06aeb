package import HistoryModel

/// A whole answer.
package struct HTTPResponse: Hashable, Sendable {
  /// The status.
  package let status: HTTPStatus
  /// The media type of the body.
  package let contentType: String
  /// What a page in the body may load; nothing, unless told otherwise.
  package let contentPolicy: String
  /// Headers besides those that every answer has.
  package let headers: [HTTPField]
  /// The body.
  package let body: [UInt8]

  /// The policy of everything that is no page.
  package static let nothingAllowed = "default-src 'none'; frame-ancestors 'none'"
  /// The policy of a page whose scripts, styles and data come from this server alone.
  package static let onlyOwnAllowed =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - contentType: The media type of the body.
  ///   - contentPolicy: What a page in the body may load.
  ///   - headers: Further headers; neither name nor value may have a line break in it.
  ///   - body: The body.
  package init(
    _ status: HTTPStatus = .ok, contentType: String, contentPolicy: String = nothingAllowed,
    headers: [HTTPField] = [], body: [UInt8]
  ) {
    self.status = status
    self.contentType = contentType
    self.contentPolicy = contentPolicy
    self.headers = headers
    self.body = body
  }

  /// Makes an answer of JSON.
  ///
  /// - Parameters:
  ///   - json: The body.
  ///   - status: The status.
  /// - Returns: The answer.
  package static func json(_ json: [UInt8], _ status: HTTPStatus = .ok) -> HTTPResponse {
    HTTPResponse(status, contentType: "application/json", body: json)
  }

  /// Makes an answer that is a page.
  ///
  /// - Parameters:
  ///   - html: The page, in UTF-8.
  ///   - contentPolicy: What it may load.
  /// - Returns: The answer.
  package static func page(
    _ html: [UInt8], contentPolicy: String = onlyOwnAllowed
  ) -> HTTPResponse {
    HTTPResponse(contentType: "text/html; charset=utf-8", contentPolicy: contentPolicy, body: html)
  }

  /// Makes the answer that tells of a fault, with a line of kind `error` in it.
  ///
  /// - Parameter fault: The fault.
  package init(_ fault: HTTPFault) {
    self.init(
      fault.status, contentType: "application/json", headers: fault.headers,
      body: Self.line(code: fault.code, message: fault.message, hint: fault.hint))
  }

  /// Makes the answer that tells of an error, with a line of kind `error` in it.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - status: The status that it gets.
  package init(_ error: HistoryError, _ status: HTTPStatus) {
    self.init(
      status, contentType: "application/json",
      body: Self.line(code: error.code.description, message: error.message, hint: error.hint))
  }

  private static func line(code: String, message: String, hint: String?) -> [UInt8] {
    var line = Array(#"{"kind":"error","code":"#.utf8)
    JSONText.append(code, to: &line)
    line += #","message":"#.utf8
    JSONText.append(message, to: &line)
    line += #","hint":"#.utf8
    JSONText.append(hint, to: &line)
    line += "}\n".utf8
    return line
  }

  /// The headers that go out besides those that the connection makes itself.
  var allHeaders: [HTTPField] {
    Self.headersOfAll(contentType: contentType, contentPolicy: contentPolicy) + headers
  }

  /// What every answer has: nobody keeps it, guesses what it is, frames it, or learns where from.
  static func headersOfAll(contentType: String, contentPolicy: String) -> [HTTPField] {
    [
      HTTPField("Content-Type", contentType),
      HTTPField("Cache-Control", "no-store"),
      HTTPField("X-Content-Type-Options", "nosniff"),
      HTTPField("Content-Security-Policy", contentPolicy),
      HTTPField("Referrer-Policy", "no-referrer"),
      HTTPField("Cross-Origin-Resource-Policy", "same-origin"),
    ]
  }
}
