private import Glibc

/// The real `historywatch`, run by a test as a person or a script would run it.
///
/// A test waits for lines, not for time; whatever takes longer than ``patience`` fails with all
/// that was read so far.
public final class HistorywatchProcess {
  /// How it ended and what it said.
  public struct Result: Sendable {
    /// The exit code, or 128 and the number of the signal that ended it.
    public let code: Int32
    /// All that it wrote to standard output.
    public let output: String
    /// All that it wrote to standard error.
    public let errors: String

    /// The lines of standard output.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
    /// The lines of standard error.
    public var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
  }

  /// What the process did not do in time.
  public struct Failure: Error, CustomStringConvertible {
    /// What was awaited, and what came instead.
    public let description: String
  }

  /// Where its standard output goes.
  public enum Output: Sendable {
    /// To the test.
    case pipe
    /// Into a pipe that nobody reads any more.
    case closed
    /// Into a file, which must exist.
    case file(String)
  }

  /// How many milliseconds a test waits for a line or the end.
  public static let patience: Int64 = 20_000

  /// The process id.
  public let processID: Int32
  /// Whether its standard output is read while anything of it is waited for, as by a reader who is not
  /// stuck.
  public var readsOutput = true
  private let terminal: PseudoTerminal?
  private var input: Int32
  private var outputs: [Channel]
  private var status: Int32?

  /// One of the two descriptors that are read.
  struct Channel {
    var descriptor: Int32
    /// All that came.
    var all: [UInt8] = []
    /// How much of it was handed out as lines.
    var taken = 0
  }

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - environment: Variables to add, or to leave out where they are nil.
  ///   - output: Where its standard output goes.
  ///   - terminal: A terminal in the place of all three standard descriptors.
  ///   - runner: Words before the program's path, such as those of another program that runs it.
  /// - Throws: ``OperatingSystemError`` if it cannot be started.
  public convenience init(
    _ arguments: [String], environment: [String: String?] = [:], output: Output = .pipe,
    terminal: PseudoTerminal? = nil, runner: [String] = []
  ) throws {
    try self.init(
      running: runner + [try Self.path()] + arguments, environment: environment, output: output,
      terminal: terminal)
  }

  /// Starts any program as `historywatch` is started.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - environment: Variables to add, or to leave out where they are nil.
  ///   - output: Where its standard output goes.
  ///   - terminal: A terminal in the place of all three standard descriptors.
  /// - Throws: ``OperatingSystemError`` if it cannot be started.
  package init(
    running words: [String], environment: [String: String?] = [:], output: Output = .pipe,
    terminal: PseudoTerminal? = nil
  ) throws {
    self.terminal = terminal
    if let terminal {
      let stream = ProcessLauncher.Stream.file(terminal.name, O_RDWR)
      processID = try ProcessLauncher.start(
        words, environment: environment, streams: [stream, stream, stream], leadsSession: true)
      input = -1
      outputs = [Channel(descriptor: terminal.descriptor)]
      return
    }
    let inputs = try PrivatePipe()
    let lines = try PrivatePipe()
    let errors = try PrivatePipe()
    defer { for end in [inputs.reading, lines.writing, errors.writing] { close(end) } }
    var outputStream = ProcessLauncher.Stream.descriptor(lines.writing)
    switch output {
    case .pipe: break
    case .closed: close(lines.reading)
    case .file(let path): outputStream = .file(path, O_WRONLY)
    }
    processID = try ProcessLauncher.start(
      words, environment: environment,
      streams: [.descriptor(inputs.reading), outputStream, .descriptor(errors.writing)],
      leadsSession: false)
    input = inputs.writing
    outputs = [Channel(descriptor: lines.reading), Channel(descriptor: errors.reading)]
    if case .closed = output { outputs[0].descriptor = -1 }
  }

  deinit {
    if status == nil {
      Glibc.kill(processID, SIGKILL)
      waitpid(processID, nil, 0)
    }
    closeInput()
    if outputs.count == 2 { for channel in outputs { close(channel.descriptor) } }
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - arguments: Its arguments.
  ///   - input: What it finds on standard input.
  ///   - environment: Variables to add, or to leave out where they are nil.
  ///   - runner: Words before the program's path.
  /// - Returns: How it ended.
  /// - Throws: ``Failure`` if it does not end.
  @discardableResult
  public static func run(
    _ arguments: [String], input: String = "", environment: [String: String?] = [:],
    runner: [String] = []
  ) throws -> Result {
    let process = try HistorywatchProcess(arguments, environment: environment, runner: runner)
    process.write(input)
    process.closeInput()
    return try process.finish()
  }
}

extension HistorywatchProcess {
  /// Writes to its standard input, as far as it reads.
  ///
  /// - Parameter text: At most as much as a pipe holds.
  public func write(_ text: String) {
    let bytes = Array(text.utf8)
    if !bytes.isEmpty { _ = Glibc.write(input, bytes, bytes.count) }
  }

  /// Lets it find the end of its standard input.
  public func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Closes our end of its standard output, as a reader does that goes away.
  public func closeOutput() {
    close(outputs[0].descriptor)
    outputs[0].descriptor = -1
  }

  /// Sends it a signal.
  ///
  /// - Parameter number: The signal.
  public func signal(_ number: Int32) { Glibc.kill(processID, number) }

  /// Waits for the next line of standard output.
  ///
  /// - Returns: The line, without its end.
  /// - Throws: ``Failure`` if none comes.
  public func line() throws -> String { try line(from: 0) }

  /// Waits for the next line of standard error.
  ///
  /// - Returns: The line, without its end.
  /// - Throws: ``Failure`` if none comes.
  public func errorLine() throws -> String { try line(from: 1) }

  /// Waits for a line of standard output of a kind.
  ///
  /// - Parameter kind: What its `kind` is.
  /// - Returns: The lines up to and with the first such line.
  /// - Throws: ``Failure`` if none comes.
  @discardableResult
  public func lines(through kind: String) throws -> [String] {
    var lines: [String] = []
    while lines.last?.hasPrefix("{\"kind\":\"\(kind)\"") != true { lines.append(try line()) }
    return lines
  }

  private func line(from place: Int) throws -> String {
    try wait(for: "a line") { process in
      let channel = process.outputs[place]
      guard let end = channel.all[channel.taken...].firstIndex(of: 0x0A) else { return nil }
      process.outputs[place].taken = end + 1
      return String(decoding: channel.all[channel.taken..<end], as: UTF8.self)
    }
  }

  /// Waits until a terminal shows something after what was awaited before.
  ///
  /// - Parameter text: What it is to show.
  /// - Throws: ``Failure`` if it does not come.
  public func shows(_ text: String) throws {
    let wanted = Array(text.utf8)
    try wait(for: "\"\(text)\"") { process -> Void? in
      let channel = process.outputs[0]
      let end = channel.all.indices.dropFirst(channel.taken).first { place in
        channel.all[place...].starts(with: wanted)
      }
      guard let end else { return nil }
      process.outputs[0].taken = end + wanted.count
      return ()
    }
  }

  /// Waits for its end; where its standard output is not read, that of its standard error is taken for
  /// it.
  ///
  /// - Returns: How it ended and all that it said.
  /// - Throws: ``Failure`` if it does not end.
  public func finish() throws -> Result {
    let hasEnded: Bool? = try wait(for: "the end", evenAtEnd: true) { process in
      process.openOutputs.isEmpty ? true : nil
    }
    precondition(hasEnded == true)
    var code: Int32 = 0
    while waitpid(processID, &code, 0) < 0, errno == EINTR {}
    status = code
    let signal = code & 0x7F
    let texts = outputs.map { String(decoding: $0.all, as: UTF8.self) }
    return Result(
      code: signal == 0 ? (code >> 8) & 0xFF : 128 + signal, output: texts[0],
      errors: texts.count > 1 ? texts[1] : "")
  }

  /// Reads until something is there.
  private func wait<Value>(
    for what: String, evenAtEnd: Bool = false, _ find: (HistorywatchProcess) -> Value?
  ) throws -> Value {
    let deadline = Self.milliseconds + Self.patience
    while true {
      if let found = find(self) { return found }
      let open = openOutputs
      var questions = outputs.indices.map { place in
        pollfd(
          fd: open.contains(place) ? outputs[place].descriptor : -1, events: Int16(POLLIN),
          revents: 0)
      }
      let rest = deadline - Self.milliseconds
      guard rest > 0, !open.isEmpty, poll(&questions, nfds_t(questions.count), Int32(rest)) != 0
      else {
        let said = outputs.map { String(decoding: $0.all.suffix(4_000), as: UTF8.self) }
        throw Failure(
          description: "waited for \(what) in vain; it said: \(said.joined(separator: "\n--\n"))")
      }
      for (place, question) in questions.enumerated() where question.revents != 0 { read(place) }
    }
  }

  /// The outputs that more can come from.
  private var openOutputs: [Int] {
    outputs.indices.filter { outputs[$0].descriptor >= 0 && (readsOutput || $0 > 0) }
  }

  private func read(_ place: Int) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(outputs[place].descriptor, &chunk, chunk.count)
    if count > 0 {
      outputs[place].all += chunk[..<count]
    } else if count == 0 || errno != EINTR {
      // A terminal says EIO once nobody has it open any more; its owner closes it.
      if outputs.count == 2 { close(outputs[place].descriptor) }
      outputs[place].descriptor = -1
    }
  }

  private static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }
}
