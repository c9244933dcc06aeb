#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a loop needs of the descriptors that a process may have.
enum DescriptorReserve {
  /// Its poll set, two for its signals and two for those of the process, its queue and its bell, and
  /// one to spare.
  private static let count = 8

  /// Makes sure that there are enough for a loop: libuv ends the process where there are none.
  ///
  /// - Throws: ``LoopError`` if there are not.
  static func check() throws(LoopError) {
    var probes: [CInt] = []
    defer { for probe in probes { close(probe) } }
    while probes.count < count {
      let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard probe >= 0 else {
        let number = errno
        // Where there is no such file nothing can be said.
        if number == ENOENT { return }
        throw LoopError("open", number: number)
      }
      probes.append(probe)
    }
  }
}
