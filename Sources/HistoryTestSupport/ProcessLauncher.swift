private import Glibc

/// Starts programs for tests.
enum ProcessLauncher {
  /// What a standard descriptor of the process is.
  enum Stream {
    case descriptor(Int32)
    case file(String, Int32)
  }

  /// Starts a program found in the path.
  ///
  /// - Parameters:
  ///   - arguments: The program and its arguments.
  ///   - environment: Variables to add, or to leave out where they are nil.
  ///   - streams: Its standard input, output and error.
  ///   - leadsSession: Whether the terminal that it opens becomes its own.
  /// - Returns: The process id.
  /// - Throws: ``OperatingSystemError`` if there is no such program.
  static func start(
    _ arguments: [String], environment: [String: String?], streams: [Stream], leadsSession: Bool
  ) throws -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (place, stream) in streams.enumerated() {
      switch stream {
      case .descriptor(let descriptor):
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(place))
      case .file(let path, let flags):
        posix_spawn_file_actions_addopen(&actions, Int32(place), path, flags, 0o600)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads that run tests have most signals blocked, which a new process would inherit.
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    var allSignals = sigset_t()
    sigfillset(&allSignals)
    posix_spawnattr_setsigdefault(&attributes, &allSignals)
    // POSIX_SPAWN_SETSIGMASK, _SETSIGDEF and _SETSID, as macros that Swift does not show.
    posix_spawnattr_setflags(&attributes, 0x08 | 0x04 | (leadsSession ? 0x80 : 0))

    let words = arguments.map { strdup($0) }
    let variables = self.variables(environment).map { strdup($0) }
    defer { for string in words + variables { free(string) } }
    var processID: Int32 = 0
    let code = posix_spawnp(
      &processID, arguments[0], &actions, &attributes, words + [nil], variables + [nil])
    guard code == 0 else { throw OperatingSystemError("posix_spawnp", code: code) }
    return processID
  }

  private static func variables(_ changes: [String: String?]) -> [String] {
    var all: [String] = []
    var next = environ
    while let entry = next.pointee {
      let text = String(cString: entry)
      if changes.keys.contains(String(text.prefix { $0 != "=" })) == false { all.append(text) }
      next += 1
    }
    return all + changes.compactMap { name, value in value.map { "\(name)=\($0)" } }
  }
}
