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
  public convenience init(path: String) throws(Refusal) {
    try self.init(path: path, outlastingQuestions: false)
  }

  /// Takes the lock.
  ///
  /// - Parameters:
  ///   - path: The lock file, which is made when missing and stays afterwards.
  ///   - isPatient: Whether to wait two milliseconds for those who only ask ``isHeld(path:)``.
  /// - Throws: ``Refusal``.
  package init(path: String, outlastingQuestions isPatient: Bool) throws(Refusal) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .failed(errno) }
    guard Self.take(descriptor, isPatient: isPatient) else {
      let number = errno
      close(descriptor)
      throw number == EWOULDBLOCK ? .taken : .failed(number)
    }
    // Last: with this set, a throw would run `deinit` too, which would close somebody else's file that
    // has got the number meanwhile.
    self.descriptor = descriptor
  }

  private static func take(_ descriptor: CInt, isPatient: Bool) -> Bool {
    if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
    guard isPatient, errno == EWOULDBLOCK else { return false }
    // One who only asks has let go by now.
    poll(nil, 0, 2)
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  /// Whether somebody has the lock.
  ///
  /// It is asked by taking it for some microseconds together with all others who ask.
  ///
  /// - Parameter path: The lock file.
  /// - Returns: Whether it is held; false where there is no such file, or none to be read.
  package static func isHeld(path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 {
      flock(descriptor, LOCK_UN)
      return false
    }
    return errno == EWOULDBLOCK
  }

  /// Says in the lock file who has it, in place of what it said before.
  ///
  /// The file is not replaced, since the lock is on this one. A crash may leave half of it, so it is
  /// good for telling people only.
  ///
  /// - Parameter note: What to say; short.
  /// - Returns: Whether it was written.
  package func write(_ note: String) -> Bool {
    var bytes = Array(note.utf8)
    guard ftruncate(descriptor, 0) == 0 else { return false }
    return pwrite(descriptor, &bytes, bytes.count, 0) == bytes.count
  }

  deinit {
    // Closing alone would leave it with a child that was forked meanwhile, until that execs.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
