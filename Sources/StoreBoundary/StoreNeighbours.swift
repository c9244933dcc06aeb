import EventLoop

/// The files beside a store that say who owns it and whether it is ready, and its copies.
///
/// They are named after the file that the store's path leads to, as SQLite names its own.
package struct StoreNeighbours: Sendable {
  /// The store itself, without symbolic links.
  package let database: String

  /// Names the files of a store, none of which need exist.
  ///
  /// - Parameter path: The store's path.
  package init(of path: String) { database = FileNames.resolved(path) }

  /// The marker that the store is ready.
  package var marker: String { database + "-ready" }
  /// The file that its owner has locked.
  package var lock: String { database + "-owner" }
  /// The directory of all of them.
  package var directory: String { FileNames.directory(of: database) }
  /// The store's name in its directory.
  package var name: String { Self.name(of: database) }
  /// The paths of all of them, the store's first, whether or not there is anything.
  var all: [String] { StoreCopy.parts.map { database + $0 } + [marker, lock] }

  /// The last part of a path.
  static func name(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[path.index(after: slash)...])
  }
}
