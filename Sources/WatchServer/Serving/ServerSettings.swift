package import EventLoop

/// What a server is to do.
package struct ServerSettings: Sendable {
  /// The paths of the databases, at least one.
  package var databases: [String]
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
  ///   - databases: The paths of the databases.
  ///   - sockets: Where to listen.
  ///   - allowedUsers: The users besides its own who may connect.
  ///   - version: What the server says that it is.
  package init(
    databases: [String], sockets: [Socket] = [], allowedUsers: Set<UInt32> = [],
    version: String = ""
  ) {
    self.databases = databases
    self.sockets = sockets
    self.allowedUsers = allowedUsers
    self.version = version
  }
}
