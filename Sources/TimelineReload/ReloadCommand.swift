package import EventLoop
package import HistoryModel

/// Runs a command for reloads, one at a time.
///
/// There is no shell; the command leads a process group of its own, reads from `/dev/null` and
/// learns from its environment what it is about. What it leaves in the background when it ends by
/// itself goes on; when it is told to end, all of its group ends with it.
///
/// Confined to the loop.
package final class ReloadCommand {
  /// How a run ended.
  package enum Outcome: Hashable, Sendable {
    /// With exit code 0, by itself.
    case confirmed
    /// In any other way, by itself.
    case failed(ChildProcess.Status)
    /// Because it was told to, or the task was cancelled; whatever its code.
    case ended
  }

  let arguments: [String]
  private let database: String
  private let author: String?
  private let executor: LoopExecutor
  private let gate: LoopGate
  private let pause: nonisolated(nonsending) (Duration) async -> Void
  private var isRunning = false
  private var isEnding = false

  /// Describes a command.
  ///
  /// - Parameters:
  ///   - arguments: The program, a path or a name to look up in `PATH`, and its arguments.
  ///   - database: The database's path, as the command is to get it.
  ///   - author: The author under which the command writes, if somebody decides that for it.
  ///   - executor: The loop that waits for it.
  ///   - pause: Waits a little while a command that was told to end does so, even if the task is
  ///     cancelled; nil for the loop's own time.
  /// - Throws: ``LoopError`` if libuv refuses a timer.
  package init(
    _ arguments: [String], database: String, author: String? = nil, on executor: LoopExecutor,
    pausing pause: (nonisolated(nonsending) (Duration) async -> Void)? = nil
  ) throws(LoopError) {
    precondition(!arguments.isEmpty, "A command names a program.")
    self.arguments = arguments
    self.database = database
    self.author = author
    self.executor = executor
    self.pause = pause ?? { await LoopTimer.pause(for: $0, on: executor) }
    gate = try LoopGate(on: executor)
  }

  /// Looks whether there is such a program, so that a wrong name shows before it is needed.
  ///
  /// - Parameter program: The program, a path or a name to look up in `PATH`.
  /// - Throws: ``HistoryError`` with code `usage` if there is none or it may not be run.
  package static func check(_ program: String) throws(HistoryError) {
    do throws(LoopError) {
      try ChildProcess.lookUp(program)
    } catch {
      throw .commandNotStarted(program, error)
    }
  }

  /// Runs the command for a reload and waits until it has ended.
  ///
  /// A cancelled task ends it like ``end()``, and waits all the same.
  ///
  /// - Parameter reload: What it is about.
  /// - Returns: How it ended; after it was told to, nothing of its group is left, but for processes
  ///   that cannot be killed.
  /// - Throws: ``HistoryError`` when it cannot be started: with code `usage` if there is no such
  ///   program or it may not be run, else `temporary`.
  package nonisolated(nonsending) func run(
    _ reload: Reload
  ) async throws(HistoryError) -> Outcome {
    try await run(Self.environment(of: reload, in: database, author: author))
  }

  /// Runs the command for something else than a reload, as ``run(_:)-(Reload)`` does.
  ///
  /// - Parameter environment: What to tell it, by the names of variables.
  /// - Returns: How it ended.
  /// - Throws: As ``run(_:)-(Reload)`` does.
  package nonisolated(nonsending) func run(
    _ environment: [String: String]
  ) async throws(HistoryError) -> Outcome {
    precondition(!isRunning, "One run at a time.")
    if Task.isCancelled { return .ended }
    let child: ChildProcess
    do throws(LoopError) {
      child = try ChildProcess(command(environment), on: executor)
    } catch {
      throw .commandNotStarted(arguments[0], error)
    }
    isRunning = true
    isEnding = false
    defer { isRunning = false }
    child.onExit = { [gate] in gate.open() }
    while child.status == nil, !isEnding {
      if await !gate.wait(for: nil) { isEnding = true }
    }
    if let status = child.status, !isEnding {
      return status == .code(0) ? .confirmed : .failed(status)
    }
    _ = await child.endGroup(pausing: pause)
    return .ended
  }

  /// Has the present run ended, if there is one: its group gets SIGTERM, and SIGKILL if anything of
  /// it is left after 5 seconds.
  ///
  /// ``run(_:)`` returns once that is done.
  package func end() {
    guard isRunning else { return }
    isEnding = true
    gate.open()
  }

  /// What to start for a reload.
  func command(for reload: Reload) -> ChildProcess.Command {
    command(Self.environment(of: reload, in: database, author: author))
  }

  private func command(_ environment: [String: String]) -> ChildProcess.Command {
    ChildProcess.Command(
      arguments, environment: environment, withheld: Self.variables, hasOwnGroup: true)
  }
}
