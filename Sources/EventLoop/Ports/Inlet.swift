#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The way to read from a descriptor.
enum Inlet {
  /// What became of an attempt to read.
  enum Outcome {
    /// These bytes came; none at the end.
    case took([UInt8])
    case empty
    case failed(CInt)
  }

  /// Reads once.
  ///
  /// The array is no bigger than what came: whoever keeps it keeps nothing else.
  static func take(from descriptor: CInt, atMost limit: Int) -> Outcome {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: limit) { buffer in
      var taken: Int
      repeat {
        #if canImport(Glibc)
          taken = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #else
          taken = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
      } while taken < 0 && errno == EINTR
      if taken >= 0 { return .took(Array(buffer[..<taken])) }
      return errno == EAGAIN ? .empty : .failed(errno)
    }
  }
}
