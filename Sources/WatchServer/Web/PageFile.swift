import HTTPServer

/// A file of the page that shows the history live.
struct PageFile: Sendable {
  /// Where it is.
  let path: String
  private let contentType: String
  private let bytes: [UInt8]

  /// All of them.
  static let all = [
    PageFile(path: "/", contentType: "text/html; charset=utf-8", bytes: Array(placeholder.utf8))
  ]

  /// The answer that carries it.
  var response: HTTPResponse {
    HTTPResponse(
      contentType: contentType, contentPolicy: HTTPResponse.onlyOwnAllowed, body: bytes)
  }

  private static let placeholder =
    "<!doctype html><title>historywatch</title><p>See <a href=/status>the status</a>.\n"
}
