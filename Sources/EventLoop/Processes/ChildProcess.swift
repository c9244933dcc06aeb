import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Another program, started by this one.
///
/// ```swift
/// let child = try ChildProcess(.init(["less"], input: .pipe), on: executor)
/// try await child.write(bytes)
/// child.closeInput()
/// let status = try await child.exit()
/// ```
///
/// Confined to the loop. A process whose owner goes before ``exit()`` returned is not ended; it
/// goes on, and nobody learns how it ended.
public final class ChildProcess {
  /// The system's number for the process.
  public private(set) var identifier: CInt = 0
  /// How it ended; nil while it runs.
  public private(set) var status: Status?
  /// What to call on the loop when it has ended, for those who wait for other things as well.
  public var onExit: (() -> Void)?
  /// Our end of its standard input, if that is a pipe and still open.
  ///
  /// Nobody else gets it, since the process would not find the end for as long as they keep it.
  private var input: OutputPort?
  /// Our end of its standard output, if that is a pipe.
  public let output: InputPort?
  /// Our end of its standard error, if that is a pipe.
  public let errors: InputPort?

  private let handle: LoopHandle
  private let pipes: ChildPipes
  private let hasOwnGroup: Bool
  private var waiters: [Suspension<CancellationError>] = []

  /// Starts a program.
  ///
  /// Signals that this process ignores or catches act on the new one as by default.
  ///
  /// - Parameters:
  ///   - command: What to start and how.
  ///   - executor: The loop that waits for it.
  /// - Throws: ``LoopError``, with `ENOENT` if there is no such program and `EACCES` if it may not
  ///   be run.
  public init(_ command: Command, on executor: LoopExecutor) throws(LoopError) {
    let pipes = try ChildPipes(command)
    var started: CInt = 0
    // A handle that could not be spawned is on the loop's list all the same: it has to be closed.
    handle = try LoopHandle(
      UV_PROCESS, as: uv_process_t.self, on: executor, "uv_spawn"
    ) { loop, process in
      started = command.spawn(process, on: loop, pipes) { process, code, signal in
        LoopHandle.owner(of: process, as: ChildProcess.self)?.ended(code: code, signal: signal)
      }
      return 0
    }
    pipes.closeTheirs()
    self.pipes = pipes
    hasOwnGroup = command.hasOwnGroup
    input = pipes.input.map { OutputPort(descriptor: $0, on: executor) }
    output = pipes.output.map { InputPort(descriptor: $0, ownedBy: pipes, on: executor) }
    errors = pipes.errors.map { InputPort(descriptor: $0, ownedBy: pipes, on: executor) }
    guard started >= 0 else {
      handle.close()
      throw LoopError("uv_spawn", status: started)
    }
    handle.belong(to: self)
    handle.with(uv_process_t.self) { process in
      identifier = process.pointee.pid
      return 0
    }
  }

  deinit { handle.close() }

  /// Writes to its standard input, which has to be a pipe.
  ///
  /// One write at a time.
  ///
  /// - Parameter bytes: What to write.
  /// - Throws: ``OutputError``, with `readerGone` once the process reads no more or the input was
  ///   closed.
  public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws(OutputError) {
    guard let input else { throw .readerGone }
    try await input.write(bytes)
  }

  /// Lets the process read the end of its standard input.
  public func closeInput() {
    input = nil
    pipes.closeInput()
  }

  /// Waits until the process has ended.
  ///
  /// - Returns: How it ended.
  /// - Throws: `CancellationError` as soon as the task is cancelled; the process goes on.
  public nonisolated(nonsending) func exit() async throws(CancellationError) -> Status {
    while true {
      if let status { return status }
      try await Suspension<CancellationError>.wait(
        on: handle.executor, cancelledAs: CancellationError()
      ) { waiters.append($0) }
    }
  }

  /// Sends a signal to the process.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - toGroup: Whether it is for all that the process has started as well, as far as they
  ///     stayed in its group; only for one with a group of its own. The group may outlive it.
  /// - Returns: Whether there was anybody to get it.
  @discardableResult
  public func send(_ signal: SignalWatch.Signal, toGroup: Bool = false) -> Bool {
    precondition(hasOwnGroup || !toGroup, "The process shares our own group.")
    if toGroup { return kill(-identifier, signal.number) == 0 }
    // Once it has been waited for, its number may be somebody else's.
    return status == nil && kill(identifier, signal.number) == 0
  }

  private func ended(code: Int64, signal: CInt) {
    status = signal == 0 ? .code(CInt(truncatingIfNeeded: code)) : .signal(signal)
    handle.close()
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(.success(())) }
    onExit.take()?()
  }
}
