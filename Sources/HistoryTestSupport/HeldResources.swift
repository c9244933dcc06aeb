private import Glibc

/// What this process holds of the system at a moment.
public struct HeldResources: Sendable, Hashable {
  /// How many descriptors are open.
  public let descriptors: Int
  /// How many threads run.
  public let threads: Int

  /// Counts both.
  ///
  /// - Throws: ``OperatingSystemError`` where the system does not show them.
  public init() throws {
    descriptors = try Self.entries("/proc/self/fd")
    threads = try Self.entries("/proc/self/task")
  }

  private static func entries(_ path: String) throws -> Int {
    guard let directory = opendir(path) else { throw OperatingSystemError("opendir") }
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
  }

  /// Counts again, until no more threads than a limit are left or a second has passed.
  ///
  /// A thread that was let go ends by itself, a moment after its work was done.
  ///
  /// - Parameter limit: How many threads may be left.
  /// - Returns: What is held then.
  /// - Throws: ``OperatingSystemError`` where the system does not show it.
  public static func settled(threads limit: Int) throws -> HeldResources {
    let start = ContinuousClock.now
    var held = try HeldResources()
    while held.threads > limit, start.duration(to: .now) < .seconds(1) {
      sched_yield()
      held = try HeldResources()
    }
    return held
  }
}
