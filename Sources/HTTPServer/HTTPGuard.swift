package import EventLoop
package import HistoryModel

/// Decides who is answered.
///
/// A page from anywhere, open in a browser on this machine, can make that browser ask this server;
/// what it cannot do is choose what the browser says about it. Under a name of its own that was
/// made to lead here (DNS rebinding) the page would even read the answer, so `Host` must be a name
/// that nobody else can give away: an address, `localhost`, or one that was allowed. `Origin` and
/// `Sec-Fetch-Site` tell of pages from elsewhere, other ports of this machine included.
///
/// The token is only taken from `Authorization`. In the query it would stand in logs, in the
/// browser's history and in what is copied from it; as a cookie it would be sent along by pages
/// from other ports of the same host. A browser's `EventSource` can send neither header nor token,
/// so a page that needs one reads the stream by `fetch`.
package struct HTTPGuard: Sendable {
  private let address: SocketAddress
  private let own: HTTPAuthority
  private let isWildcard: Bool
  private let allowed: [HTTPAuthority]
  private let token: BearerToken?
  private let openPaths: Set<String>

  /// Makes a guard.
  ///
  /// - Parameters:
  ///   - address: Where the server listens.
  ///   - access: Who may ask, beyond what follows from that.
  /// - Throws: `HistoryError` with code `usage` if others can reach the address and no token is
  ///   required, or if a host that is allowed is none.
  package init(address: SocketAddress, access: HTTPAccess) throws(HistoryError) {
    guard case .internet = address, let own = HTTPAuthority(address.description) else {
      throw HistoryError(
        .usage, "HTTP is served at an address and a port, and not at \(address)",
        hint: "give an address such as 127.0.0.1:8080")
    }
    guard address.isLoopback || access.token != nil else {
      throw HistoryError(
        .usage, "others can reach \(address), and no bearer token is required of them",
        hint: "require a token (--http-token-file), or listen on 127.0.0.1")
    }
    var allowed: [HTTPAuthority] = []
    for host in access.hosts {
      guard let authority = HTTPAuthority(host) else {
        throw HistoryError(
          .usage, "an allowed host is neither a name nor a name and a port",
          hint: "give it as in the browser's address line, without http://")
      }
      allowed.append(authority)
    }
    self.address = address
    self.own = own
    self.allowed = allowed
    isWildcard = own.host == "0.0.0.0" || own.host == "[::]"
    token = access.token
    openPaths = access.openPaths
  }

  /// Judges a request.
  ///
  /// - Parameter request: The request.
  /// - Returns: Why it is refused; nil if it is not.
  package func refusal(of request: HTTPRequest) -> HTTPFault? {
    guard let host = request.header("host").flatMap(HTTPAuthority.init), isOurs(host) else {
      return .foreignHost
    }
    // Browsers send it with every request and let no page change it. Another port of this machine
    // is another program: `same-site` is not enough.
    if request.hasHeader("sec-fetch-site"),
      !["same-origin", "none"].contains(request.header("sec-fetch-site"))
    {
      return .foreignPage
    }
    if request.hasHeader("origin") {
      guard let origin = request.header("origin"), isSame(origin, host) else { return .foreignPage }
    }
    if let token, !openPaths.contains(request.path) {
      guard let carried = request.header("authorization") else { return .tokenMissing }
      guard token.isCarried(by: carried) else { return .tokenWrong }
    }
    return nil
  }

  private func isOurs(_ host: HTTPAuthority) -> Bool {
    let isAllowed = allowed.contains {
      $0.host == host.host && ($0.port == nil || $0.port == host.port)
    }
    if isAllowed { return true }
    // Clients that are no browsers leave the port out; no name that leads here becomes ours by that.
    guard host.port == nil || host.port == own.port else { return false }
    if host.host == own.host { return true }
    // Whoever listens everywhere cannot say which addresses are his; but addresses are not names,
    // and lead where they say.
    if isWildcard { return host.isLoopback || host.address != nil }
    return address.isLoopback && host.isLoopback
  }

  private func isSame(_ origin: String, _ host: HTTPAuthority) -> Bool {
    for (scheme, port) in [("http://", UInt16(80)), ("https://", UInt16(443))] {
      guard origin.lowercased().hasPrefix(scheme),
        let authority = HTTPAuthority(String(origin.dropFirst(scheme.count)))
      else { continue }
      return authority.host == host.host && (authority.port ?? port) == (host.port ?? port)
    }
    return false
  }
}
