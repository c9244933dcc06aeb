import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension ChildProcess {
  /// What to start and how.
  public struct Command: Sendable {
    /// What a standard descriptor of the process is.
    public enum Stream: Hashable, Sendable {
      /// The same as ours.
      case inherit
      /// `/dev/null`.
      case null
      /// A pipe whose other end is ours.
      case pipe
    }

    /// The program, a path or a name to look up in `PATH`, and its arguments; there is no shell.
    public var arguments: [String]
    /// Variables that it has besides ours, or instead of ours of the same name.
    public var environment: [String: String]
    /// Variables of ours that it does not have, unless ``environment`` gives them.
    public var withheld: Set<String>
    /// Its standard input.
    public var input: Stream
    /// Its standard output.
    public var output: Stream
    /// Its standard error.
    public var errors: Stream
    /// Whether it leads a process group of its own.
    ///
    /// A signal reaches all that it starts, and what the terminal sends to our group does not
    /// reach it. It leads a session as well, which has no terminal.
    public var hasOwnGroup: Bool

    /// Describes a process.
    ///
    /// - Parameters:
    ///   - arguments: The program and its arguments, at least the program.
    ///   - environment: Variables to add or replace.
    ///   - withheld: Variables of ours to leave out.
    ///   - input: Its standard input.
    ///   - output: Its standard output.
    ///   - errors: Its standard error.
    ///   - hasOwnGroup: Whether it leads a process group of its own.
    public init(
      _ arguments: [String], environment: [String: String] = [:], withheld: Set<String> = [],
      input: Stream = .null, output: Stream = .inherit, errors: Stream = .inherit,
      hasOwnGroup: Bool = false
    ) {
      precondition(!arguments.isEmpty, "A command names a program.")
      self.arguments = arguments
      self.environment = environment
      self.withheld = withheld
      self.input = input
      self.output = output
      self.errors = errors
      self.hasOwnGroup = hasOwnGroup
    }
  }

  /// How a process ended.
  public enum Status: Hashable, Sendable {
    /// By itself, with this code.
    case code(CInt)
    /// By this signal.
    case signal(CInt)

    /// What a shell makes of it: the code, or 128 and the signal's number.
    public var shellCode: CInt {
      switch self {
      case .code(let code): code
      case .signal(let number): 128 + number
      }
    }
  }
}

extension ChildProcess.Command {
  /// Starts the process; what `uv_spawn` returned.
  func spawn(
    _ process: UnsafeMutablePointer<uv_process_t>, on loop: UnsafeMutablePointer<uv_loop_t>,
    _ pipes: ChildPipes, _ onExit: @escaping uv_exit_cb
  ) -> CInt {
    let words = CStringList(arguments.map { strdup($0) })
    let variables = environment.isEmpty && withheld.isEmpty ? nil : CStringList(variables)
    var streams = [
      container(input, 0, pipes.theirInput), container(output, 1, pipes.theirOutput),
      container(errors, 2, pipes.theirErrors),
    ]
    return streams.withUnsafeMutableBufferPointer { streams in
      var options = uv_process_options_t()
      options.exit_cb = onExit
      options.file = UnsafePointer(words.strings[0])
      options.args = words.strings.baseAddress
      options.env = variables?.strings.baseAddress
      options.flags = hasOwnGroup ? UV_PROCESS_DETACHED.rawValue : 0
      options.stdio_count = CInt(streams.count)
      options.stdio = streams.baseAddress
      return uv_spawn(loop, process, &options)
    }
  }

  private func container(
    _ stream: Stream, _ ours: CInt, _ theirs: CInt?
  ) -> uv_stdio_container_t {
    var container = uv_stdio_container_t()
    switch stream {
    case .null:
      container.flags = UV_IGNORE
    case .inherit, .pipe:
      container.flags = UV_INHERIT_FD
      container.data.fd = theirs ?? ours
    }
    return container
  }

  /// Ours as they are, byte for byte, and those that were added.
  private var variables: [UnsafeMutablePointer<CChar>?] {
    var all: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let entry = next.pointee {
      let name = String(String(cString: entry).prefix { $0 != "=" })
      if environment[name] == nil, !withheld.contains(name) { all.append(strdup(entry)) }
      next += 1
    }
    return all + environment.map { strdup("\($0.key)=\($0.value)") }
  }
}

/// Strings as C wants them: an array of pointers with nil at its end.
private final class CStringList {
  let strings: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>

  /// Takes over strings that `strdup` made.
  init(_ texts: [UnsafeMutablePointer<CChar>?]) {
    strings = .allocate(capacity: texts.count + 1)
    _ = strings.initialize(from: texts + [nil])
  }

  deinit {
    for string in strings { free(string) }
    strings.deallocate()
  }
}
