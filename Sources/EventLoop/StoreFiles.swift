#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where SQLite keeps the files of a database.
///
/// SQLite follows symbolic links first and names the other files after what it finds.
struct StoreFiles {
  /// The database's own path, without symbolic links.
  let database: String
  /// The directory of all its files.
  let directory: String

  init(database path: String) {
    database = Self.resolved(path)
    let slash = database.lastIndex(of: "/") ?? database.startIndex
    directory = slash == database.startIndex ? "/" : String(database[..<slash])
  }

  /// The file behind the memory that connections of a store in WAL mode share.
  var sharedMemory: String { database + "-shm" }

  /// The names whose changes announce a commit.
  var announcingNames: Set<String> {
    let name = database.lastPathComponent
    return [name, name + "-wal", name + "-journal"]
  }

  private static func resolved(_ path: String) -> String {
    if let resolved = realPath(path) { return resolved }
    // There is no such file yet: then at least its directory.
    let name = path.lastPathComponent
    let directory = path.dropLast(name.count)
    return (realPath(directory.isEmpty ? "." : String(directory)) ?? String(directory)) + "/" + name
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
