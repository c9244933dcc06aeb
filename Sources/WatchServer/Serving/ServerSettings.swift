package import EventLoop
package import HistoryStore

/// What a server is to do.
package struct ServerSettings: Sendable {
  /// What was declared: the databases, at least one, the timelines, and how much is kept.
  package var configuration: ServerConfiguration
  /// How much history is kept where the configuration does not say.
  package var limits: RetentionLimits
  /// Where to listen; none for no socket.
  package var sockets: [Socket]
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

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - configuration: The databases and the timelines.
  ///   - limits: How much history is kept where the configuration does not say.
  ///   - sockets: Where to listen.
  ///   - allowedUsers: The users besides its own who may connect.
  ///   - version: What the server says that it is.
  package init(
    _ configuration: ServerConfiguration, limits: RetentionLimits = .standard,
    sockets: [Socket] = [], allowedUsers: Set<UInt32> = [],
    version: String = ""
  ) {
    self.configuration = configuration
    self.limits = limits
    self.sockets = sockets
    self.allowedUsers = allowedUsers
    self.version = version
  }
}
