import EventLoop
import HistoryModel
import HistoryStore
import SQLite

/// The running program: its loop, and the ways out of it.
///
/// Everything runs on the one loop of the process's main thread.
actor Program {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Standard output: data, and nothing else.
  let output: OutputPort
  private let messages: OutputPort
  /// How to write for a person on standard output.
  nonisolated let style: TerminalStyle
  private let messageStyle: TerminalStyle

  init(on executor: LoopExecutor) {
    self.executor = executor
    output = OutputPort(descriptor: 1, on: executor)
    messages = OutputPort(descriptor: 2, on: executor)
    style = TerminalStyle(descriptor: 1)
    messageStyle = TerminalStyle(descriptor: 2)
  }

  /// Runs a command line to its end.
  ///
  /// - Parameter arguments: The words after the program's name.
  /// - Returns: What the process exits with.
  func run(_ arguments: [String]) async -> ExitCode {
    do {
      let invocation = try CommandParser().parse(arguments)
      return try await run(invocation)
    } catch let error as HistoryError {
      await complain(error.suggestingCommand(arguments))
      return ExitCode(error.code)
    } catch let error as OutputError {
      return await outputFailed(error)
    } catch {
      await complain(HistoryError(.temporary, "\(error)"))
      return .failure
    }
  }

  private func run(_ invocation: Invocation) async throws -> ExitCode {
    switch invocation {
    case .help(let command?):
      try await print(HelpPage(command, style: style).text)
      return .success
    case .help(nil):
      try await print(HelpPage(.standard, style: style).text)
      return .success
    case .manual(let command):
      try await print((command.map { ManualPage($0) } ?? ManualPage(.standard)).text)
      return .success
    case .version:
      try await print(Version.text)
      return .success
    case .command(let arguments):
      return try await CommandRegistry.runner(of: arguments.command.name)(arguments, self)
    }
  }

  /// Prints data.
  func print(_ text: String) async throws { try await output.write(Array(text.utf8)) }

  /// Tells a person what failed; where even that fails there is nobody to tell.
  func complain(_ error: HistoryError) async {
    try? await messages.write(Array(ErrorReport(error, style: messageStyle).text.utf8))
  }

  /// Tells a person something.
  func note(_ text: String) async {
    try? await messages.write(Array((PrintableText.line(text) + "\n").utf8))
  }

  /// Writes lines of a log.
  func log(_ bytes: [UInt8]) async { try? await messages.write(bytes) }

  /// Lets no message wait any more for somebody who does not read them.
  func abandonMessages() { messages.abandon() }

  private func outputFailed(_ error: OutputError) async -> ExitCode {
    if error == .readerGone { return .readerGone }
    await complain(
      HistoryError(
        .temporary, "writing to standard output failed: \(error.systemReason ?? "\(error)")",
        hint: "make room, or write somewhere else"))
    return .failure
  }
}

/// Runs the program on the calling thread, to the end of the process.
///
/// - Returns: Never; it ends the process.
public func runHistorywatch() -> Never {
  LoopExecutor.ignoreBrokenPipes()
  guard let executor = try? LoopExecutor() else {
    let error = HistoryError(
      .temporary, "there are too few descriptors for files",
      hint: "raise the limit of open files: ulimit -n")
    ProcessEnvironment.say(ErrorReport(error).text)
    ProcessEnvironment.exit(ExitCode.failure.rawValue)
  }
  let code = executor.runUntilComplete {
    let program = Program(on: executor)
    guard let arguments = ProcessEnvironment.arguments() else {
      await program.complain(
        HistoryError(
          .usage, "an argument is not valid UTF-8",
          hint: "use a path and values that are; SQL can be given by --file"))
      return ExitCode.usage
    }
    return await program.run(arguments)
  }
  ProcessEnvironment.exit(code.rawValue)
}
