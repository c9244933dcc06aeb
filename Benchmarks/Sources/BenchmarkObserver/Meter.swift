#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What this process has used, and the time.
enum Meter {
  /// The clock that Python's `time.monotonic_ns` reads, in nanoseconds.
  static func now() -> Int64 { time(CLOCK_MONOTONIC) }

  /// The processor time that this process has used, in nanoseconds.
  static func processorTime() -> Int64 { time(CLOCK_PROCESS_CPUTIME_ID) }

  /// The memory that this process has resident, in bytes; where the system does not tell it so, the
  /// most that it had.
  static func resident() -> Int {
    #if os(Linux)
      var line = [UInt8](repeating: 0, count: 128)
      guard let file = fopen("/proc/self/statm", "r") else { return 0 }
      defer { fclose(file) }
      let count = fread(&line, 1, line.count, file)
      let words = String(decoding: line[..<count], as: UTF8.self).split(separator: " ")
      return (words.dropFirst().first.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    #else
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss
    #endif
  }

  private static func time(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Prints a line at once, also into a pipe.
  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }
}
