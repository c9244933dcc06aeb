package import TimelineReload

/// What the server's configuration file says: docs/serve-configuration.md.
///
/// A file is accepted whole or refused whole, so a mistake in it never leaves half of the old
/// configuration with half of the new one.
package struct ServerConfiguration: Sendable, Hashable {
  /// The directory of the file, which what it names is relative to; empty for the current one.
  package let directory: String
  /// The databases that were given on the command line, which come first.
  package let given: [String]
  /// The databases that the file names, as it names them.
  package let declared: [String]
  /// How long history is kept, if the file says it.
  package let keep: Duration?
  /// How many bytes of history are kept, if the file says it.
  package let keepSize: Int?
  /// The kinds that it declares, in its order.
  package let reloads: [ReloadDeclaration]

  /// The paths of all databases, each once: those of the command line, then those of the file.
  package var databases: [String] {
    Self.databases(given: given, declared: declared, in: directory)
  }

  /// The kinds of one database.
  ///
  /// - Parameter database: Its path, as in ``databases``.
  /// - Returns: The kinds that are declared for it, in the file's order.
  package func reloads(of database: String) -> [ReloadDeclaration] {
    reloads.filter { $0.database == database }
  }

  /// Puts the paths together, leaving out what is there already.
  static func databases(
    given: [String], declared: [String], in directory: String
  ) -> [String] {
    var known = Set(given.map(ConfigurationPath.normalized))
    let added = declared.map { ConfigurationPath.resolved($0, in: directory) }
    return given + added.filter { known.insert($0).inserted }
  }
}

/// A kind of reload that the configuration file declares.
package struct ReloadDeclaration: Sendable, Hashable {
  /// Its name, which no other kind of the database has.
  package var timeline: String { kind.name }
  /// The path of its database, as in ``ServerConfiguration/databases``.
  package let database: String
  /// The database as the file names it, if it does.
  package let databaseName: String?
  /// What matters to it, and when that becomes a reload.
  package let kind: TimelineKind
  /// The author under which its command writes and whose changes do not matter to it.
  package let ignoredAuthor: String?
  /// The program to run and its arguments, if it runs one.
  package let command: [String]?
  /// Whether subscribers are told of its reloads.
  package let tellsSubscribers: Bool
}
