/// Who may ask, beyond what follows from where the server listens.
package struct HTTPAccess: Sendable {
  /// Names under which the server may be asked, such as that of a proxy in front of it: `name` with
  /// whatever port, or `name:port`.
  package var hosts: [String]
  /// What a client must know; nil if nobody needs to know anything.
  package var token: BearerToken?
  /// Paths that are answered without the token: what has nothing of the store in it.
  package var openPaths: Set<String>

  /// Says who may ask.
  ///
  /// - Parameters:
  ///   - hosts: Names under which the server may be asked.
  ///   - token: What a client must know.
  ///   - openPaths: Paths that are answered without the token.
  package init(hosts: [String] = [], token: BearerToken? = nil, openPaths: Set<String> = []) {
    self.hosts = hosts
    self.token = token
    self.openPaths = openPaths
  }
}
