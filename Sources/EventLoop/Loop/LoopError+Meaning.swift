#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LoopError {
  /// Whether it did not fail but was given up.
  package var isCancellation: Bool { number == ECANCELED }

  /// Whether this user may not do it.
  package var isNotAllowed: Bool { number == EACCES || number == EPERM }

  /// Whether nobody is at the other end of a connection, or is not any more: trying again later
  /// may find somebody.
  package var isNobodyThere: Bool {
    [ENOENT, ECONNREFUSED, ECONNRESET, ECONNABORTED, EPIPE, ENOTCONN].contains(number)
  }
}
