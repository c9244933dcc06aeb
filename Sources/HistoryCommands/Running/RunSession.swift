import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite
import TimelineReload

/// One run of `run`: reloads by a command until a signal ends it. It lives on the program's loop.
actor RunSession {
  private nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let options: RunOptions
  private let program: Program
  private var vigil: SessionVigil?
  private var command: ReloadCommand?
  private var starting: Task<TimelineReloader, any Error>?

  init(_ options: RunOptions, _ program: Program) {
    self.options = options
    self.program = program
    executor = program.executor
  }

  /// Runs to the end.
  func run() async throws -> ExitCode {
    try ReloadCommand.check(options.command[0])
    let vigil = try SessionVigil(program)
    self.vigil = vigil
    vigil.onEnd = { [weak self] in self?.assumeIsolated { $0.starting?.cancel() } }
    try HistoryError.refuseDirectory(options.state, for: "--state")
    command = try ReloadCommand(
      options.command, database: options.database, author: options.author, on: executor)
    let store = try ObservedStore(path: options.database, on: executor)
    await store.hub.onCondition { [weak self] condition in
      self?.assumeIsolated { $0.vigil?.note(condition.note(path: $0.options.database)) }
    }
    guard let reloader = try await start(store, vigil) else { return try vigil.code() }
    vigil.note("watching \(options.database)")
    if let note = try options.filter.noteOfUntracked(
      in: TrackedStore(path: options.database, access: .readOnly))
    {
      vigil.note(note)
    }
    await vigil.wait()
    do throws(HistoryError) {
      try await reloader.stop()
    } catch {
      await program.complain(error)
    }
    await vigil.writeNotes()
    return try vigil.code()
  }

  /// Begins to reload; nil when a signal came first.
  private func start(
    _ store: ObservedStore, _ vigil: SessionVigil
  ) async throws -> TimelineReloader? {
    let starting = Task(executorPreference: executor) { [options, executor] in
      try await TimelineReloader(
        store: store, kinds: [options.kind], after: options.since, states: .file(options.state),
        handlerExecutor: executor, clock: SystemLoopClock(),
        telling: { [weak self] event in self?.assumeIsolated { $0.happened(event) } },
        reload: { [weak self] reload in try await self?.perform(reload) })
    }
    self.starting = starting
    if vigil.ending != nil { starting.cancel() }
    do {
      return try await starting.value
    } catch {
      if vigil.ending != nil { return nil }
      guard let error = error as? HistoryError, error.code == .historyTokenExpired else {
        throw error
      }
      throw error.hinting("begin with --since oldest or --since now")
    }
  }

  /// Runs the command for a reload.
  private func perform(_ reload: Reload) async throws {
    guard let command else { throw CancellationError() }
    do throws(HistoryError) {
      try await command.runToSuccess(reload)
    } catch {
      // What cannot be started now will not be started later either.
      if error.code == .usage { vigil?.end(.failure(error)) }
      throw error
    }
  }

  private func happened(_ event: ReloadEvent) {
    guard let vigil, vigil.ending == nil else { return }
    // A store that is gone for good is told to a service manager by the exit code.
    if case .deaf(let error) = event, error.code != .temporary {
      return vigil.end(.failure(error))
    }
    if let text = event.sentence { vigil.note(text) }
  }
}
