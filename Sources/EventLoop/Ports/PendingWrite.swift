/// Bytes on their way out, and the writer that waits for them.
struct PendingWrite {
  /// How many of the bytes the kernel has taken.
  private(set) var taken = 0
  /// The writer, once it waits.
  var suspension: Suspension<OutputError>?
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Gives the kernel as much as it takes.
  ///
  /// - Returns: Whether that was all.
  mutating func advance(into outlet: Outlet) throws(OutputError) -> Bool {
    while taken < bytes.count {
      let outcome = bytes.withUnsafeBytes { all in
        outlet.offer(UnsafeRawBufferPointer(rebasing: all[taken...]))
      }
      switch outcome {
      case .took(let count): taken += count
      case .full: return false
      case .failed(let error): throw error
      }
    }
    return true
  }
}
