import CLibUV

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
  init(_ operation: String, number: CInt) {
    self.operation = operation
    self.number = number
  }
}

extension LoopError: CustomStringConvertible {
  /// What was tried and the system's sentence about why it failed.
  public var description: String {
    "\(operation): \(String(cString: uv_strerror(-number)))"
  }
}

/// Throws if a libuv function did not succeed.
func check(_ operation: String, _ status: CInt) throws(LoopError) {
  if status < 0 { throw LoopError(operation, status: status) }
}
