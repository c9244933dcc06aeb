import HTTPServer

/// A file of the page that shows the history live.
struct PageFile: Sendable {
  /// Where it is.
  let path: String
  private let contentType: String
  private let bytes: [UInt8]

  /// All of them.
  ///
  /// They are embedded when the module is built: one binary is all there is to install.
  static let all = [
    PageFile(
      path: "/", contentType: "text/html; charset=utf-8", bytes: PackageResources.page_html),
    PageFile(
      path: "/page.css", contentType: "text/css; charset=utf-8", bytes: PackageResources.page_css),
    script("page", PackageResources.page_js),
    script("server", PackageResources.server_js),
    script("transactions", PackageResources.transactions_js),
    script("values", PackageResources.values_js),
  ]

  private static func script(_ name: String, _ bytes: [UInt8]) -> PageFile {
    PageFile(path: "/\(name).js", contentType: "text/javascript; charset=utf-8", bytes: bytes)
  }

  /// The answer that carries it.
  var response: HTTPResponse {
    HTTPResponse(
      contentType: contentType, contentPolicy: HTTPResponse.onlyOwnAllowed, body: bytes)
  }
}
