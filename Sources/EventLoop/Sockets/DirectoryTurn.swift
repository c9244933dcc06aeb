#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A turn at doing something with a directory that only one process should do at a time.
///
/// It is a `flock` on the directory itself, so that no file is left behind. It is a courtesy among
/// those who ask for it: where the directory cannot be locked, or somebody else keeps it for long,
/// one goes on without.
struct DirectoryTurn {
  private let descriptor: CInt

  /// A tenth of a second.
  static let shortWait = 50

  /// Waits for a turn, in which time the loop stands still; nil if none came.
  ///
  /// - Parameters:
  ///   - path: The path of something in the directory.
  ///   - tries: How often to try, every two milliseconds.
  init?(of path: String, tries: Int = Self.shortWait) {
    let directory = FileNames.directory(of: path)
    descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    for _ in 0..<tries {
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return }
      guard errno == EWOULDBLOCK else { break }
      // The others hold it for some microseconds.
      poll(nil, 0, 2)
    }
    closeDescriptor(descriptor)
    return nil
  }

  /// Lets the next one have its turn.
  func end() {
    // Closing alone would leave it with a child that was forked meanwhile, until that execs.
    flock(descriptor, LOCK_UN)
    closeDescriptor(descriptor)
  }
}
