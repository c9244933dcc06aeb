import CLibUV

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
    directory = FileNames.directory(of: database)
  }

  /// The file behind the memory that connections of a store in WAL mode share.
  var sharedMemory: String { database + "-shm" }

  /// The database's name in its directory.
  var name: String { database.lastPathComponent }

  /// Whether connections share memory, which they do with a write-ahead log only.
  var haveSharedMemory: Bool { access(sharedMemory, F_OK) == 0 }

  /// The journal's name, which is there while a transaction lasts, or for good.
  var journalName: String { name + "-journal" }

  /// What changes whenever the journal is written; nil when there is none.
  var journalStamp: Stamp? { Stamp(path: database + "-journal") }

  /// When a file was last written, and how long it is, asked without opening it.
  struct Stamp: Equatable {
    private let seconds: Int
    private let nanoseconds: Int
    private let size: Int64

    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      #if canImport(Glibc)
        (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      #else
        (seconds, nanoseconds) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
      #endif
      size = Int64(status.st_size)
    }
  }

  /// The names whose changes announce a commit.
  var announcingNames: Set<String> { [name, name + "-wal", journalName] }

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
