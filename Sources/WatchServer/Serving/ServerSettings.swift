package import EventLoop
package import HTTPServer
package import HistoryStore

/// What a server is to do.
package struct ServerSettings: Sendable {
  /// What was declared: the databases, at least one, the timelines, and how much is kept.
  package var configuration: ServerConfiguration
  /// How much history is kept where the configuration does not say.
  package var limits: RetentionLimits
  /// Where to listen; none for no socket.
  package var sockets: [Socket]
  /// Where HTTP is served; none for not at all.
  package var web: [Web]
  /// The users besides its own who may connect.
  package var allowedUsers: Set<UInt32>
  /// What the server says that it is.
  package var version: String

  /// Something to listen at.
  package enum Socket: Sendable {
    /// A path.
    case path(String)
    /// A socket that the service manager made.
    case inherited(InheritedSocket)
  }

  /// Where HTTP is served, and to whom.
  package struct Web: Sendable {
    /// An address, or a socket that the service manager made.
    package enum Place: Sendable {
      /// An address and a port.
      case address(SocketAddress)
      /// A socket that the service manager made.
      case inherited(InheritedSocket)
    }

    /// Where.
    package var place: Place
    /// What clients have to know; nil on loopback only.
    package var token: BearerToken?
    /// The names besides the address by which it may be called.
    package var hosts: [String]

    /// Says where HTTP is served.
    package init(_ place: Place, token: BearerToken? = nil, hosts: [String] = []) {
      self.place = place
      self.token = token
      self.hosts = hosts
    }
  }

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - configuration: The databases and the timelines.
  ///   - limits: How much history is kept where the configuration does not say.
  ///   - sockets: Where to listen.
  ///   - web: Where HTTP is served.
  ///   - allowedUsers: The users besides its own who may connect.
  ///   - version: What the server says that it is.
  package init(
    _ configuration: ServerConfiguration, limits: RetentionLimits = .standard,
    sockets: [Socket] = [], web: [Web] = [], allowedUsers: Set<UInt32> = [],
    version: String = ""
  ) {
    self.configuration = configuration
    self.limits = limits
    self.sockets = sockets
    self.web = web
    self.allowedUsers = allowedUsers
    self.version = version
  }
}
