#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// What the file system says of a database file, asked without ever opening it.
///
/// Closing any descriptor of the file would drop every POSIX lock that this process holds on it,
/// SQLite's included; see <https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_>.
public struct DatabaseFile: Sendable {
  /// What stands at a path.
  public enum Kind: Sendable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A pipe, a socket or a device.
    case other
  }

  /// The device that the file is on.
  public let device: UInt64
  /// The file's number on it.
  public let inode: UInt64
  /// What it is.
  public let kind: Kind
  /// Its size in bytes.
  public let size: Int64

  /// Asks about a path, following symbolic links.
  ///
  /// - Parameter path: The path; nil is returned when nothing can be found there.
  public init?(path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .directory
    default: kind = .other
    }
  }

  /// Whether a path still leads to this very file.
  ///
  /// - Parameter path: The path.
  /// - Returns: False when another file was moved there, or none is there.
  public func isStill(at path: String) -> Bool {
    guard let now = DatabaseFile(path: path) else { return false }
    return now.device == device && now.inode == inode
  }
}

extension DatabaseFile {
  /// Whether there is a file that this user may not read.
  ///
  /// SQLite says only that such a file cannot be opened.
  ///
  /// - Parameter path: The path.
  /// - Returns: False also when nothing is there.
  package static func isKept(from path: String) -> Bool {
    access(path, R_OK) != 0 && errno == EACCES
  }
}

extension DatabaseFile: Equatable {
  /// Whether two are the same file, whatever has been written to it between.
  public static func == (a: DatabaseFile, b: DatabaseFile) -> Bool {
    a.device == b.device && a.inode == b.inode
  }
}
