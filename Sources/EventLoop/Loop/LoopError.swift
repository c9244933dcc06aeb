import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A failure of the event loop or of the kernel below it.
public struct LoopError: Error, Equatable, Sendable {
  /// What was tried, as the name of the C function.
  public let operation: String
  /// The positive error number of the system, such as `ENOSPC`.
  public let number: CInt

  /// Makes an error from what a libuv function returned.
  ///
  /// - Parameters:
  ///   - operation: The C function's name.
  ///   - status: The negative status that it returned.
  init(_ operation: String, status: CInt) {
    self.operation = operation
    number = -status
  }

  /// Makes an error from `errno`.
  ///
  /// - Parameters:
  ///   - operation: The C function's name.
  ///   - number: The value of `errno` after it.
  package init(_ operation: String, number: CInt) {
    self.operation = operation
    self.number = number
  }
}

extension LoopError: CustomStringConvertible {
  /// What was tried and the system's sentence about why it failed.
  public var description: String { "\(operation): \(reason)" }

  /// The system's sentence about why it failed.
  public var reason: String { String(cString: uv_strerror(-number)) }

  /// Whether it failed because of the file that was named: it is not there, is not what it should
  /// be, or may not be used, so that trying again is of no use.
  public var isAboutTheFile: Bool {
    [ENOENT, ENOTDIR, EISDIR, ELOOP, ENAMETOOLONG, EACCES, EPERM, ENOEXEC].contains(number)
  }
}

/// Throws if a libuv function did not succeed.
func check(_ operation: String, _ status: CInt) throws(LoopError) {
  if status < 0 { throw LoopError(operation, status: status) }
}
