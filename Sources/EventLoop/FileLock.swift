import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A lock that keeps other processes from using the same thing, for as long as it lives.
///
/// It is a `flock` on a file of its own, never on a database: closing any descriptor of a database
/// would drop SQLite's locks. The kernel drops it when the process dies.
public final class FileLock {
  /// Why a lock was not had.
  public enum Refusal: Error, Equatable, Sendable {
    /// Another process has it.
    case taken
    /// The lock file could not be opened; the system's error number.
    case failed(CInt)
  }

  private let descriptor: CInt

  /// Takes the lock, without waiting.
  ///
  /// - Parameter path: The lock file, which is made when missing and stays afterwards.
  /// - Throws: ``Refusal``.
  public init(path: String) throws(Refusal) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .failed(errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let number = errno
      close(descriptor)
      throw number == EWOULDBLOCK ? .taken : .failed(number)
    }
    // Last: with this set, a throw would run `deinit` too, which would close somebody else's file that
    // has got the number meanwhile.
    self.descriptor = descriptor
  }

  deinit {
    // Closing alone would leave it with a child that was forked meanwhile, until that execs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
