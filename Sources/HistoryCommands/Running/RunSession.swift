import EventLoop
import HistoryModel
import HistoryObservation
import TimelineReload

/// One run of `run`: reloads by a command until a signal ends it. It lives on the program's loop.
actor RunSession {
  private nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let options: RunOptions
  private let program: Program
  private var gate: LoopGate?
  private var command: ReloadCommand?
  private var starting: Task<TimelineReloader, any Error>?
  private var notes = RunNotes()
  private var ending: Ending?

  /// Why it ends.
  private enum Ending {
    case signal(ExitCode)
    case failure(HistoryError)
  }

  init(_ options: RunOptions, _ program: Program) {
    self.options = options
    self.program = program
    executor = program.executor
  }

  /// Runs to the end.
  func run() async throws -> ExitCode {
    try ReloadCommand.check(options.command[0])
    let gate = try LoopGate(on: executor)
    self.gate = gate
    let signals = try SignalWatch([.interrupt, .terminate], on: executor) { [weak self] signal in
      self?.assumeIsolated {
        $0.end(.signal(signal == .interrupt ? .interrupted : .terminated))
      }
    }
    defer { signals.close() }
    command = try ReloadCommand(
      options.command, database: options.database, author: options.author, on: executor)
    let store = try ObservedStore(path: options.database, on: executor)
    await store.hub.onCondition { [weak self] condition in
      self?.assumeIsolated { $0.note(condition.note(path: $0.options.database)) }
    }
    guard let reloader = try await start(store) else { return try code() }
    note("watching \(options.database)")
    while ending == nil {
      await writeNotes()
      if ending == nil, notes.isEmpty { _ = await gate.wait(for: nil) }
    }
    do throws(HistoryError) {
      try await reloader.stop()
    } catch {
      await program.complain(error)
    }
    await writeNotes()
    return try code()
  }

  /// Begins to reload; nil when a signal came first.
  private func start(_ store: ObservedStore) async throws -> TimelineReloader? {
    let starting = Task(executorPreference: executor) { [options, executor] in
      try await TimelineReloader(
        store: store, kinds: [options.kind], after: options.since, states: .file(options.state),
        handlerExecutor: executor, clock: SystemLoopClock(),
        telling: { [weak self] event in self?.assumeIsolated { $0.happened(event) } },
        reload: { [weak self] reload in try await self?.perform(reload) })
    }
    self.starting = starting
    if ending != nil { starting.cancel() }
    do {
      return try await starting.value
    } catch {
      if ending != nil { return nil }
      throw error
    }
  }

  /// Runs the command for a reload.
  private func perform(_ reload: Reload) async throws {
    guard let command else { throw CancellationError() }
    do throws(HistoryError) {
      try await command.runToSuccess(reload)
    } catch {
      // What cannot be started now will not be started later either.
      if error.code == .usage { end(.failure(error)) }
      throw error
    }
  }

  private func happened(_ event: ReloadEvent) {
    guard ending == nil else { return }
    // A store that is gone for good is told to a service manager by the exit code.
    if case .deaf(let error) = event, error.code != .temporary { return end(.failure(error)) }
    if let text = event.sentence { note(text) }
  }

  private func note(_ text: String) {
    notes.add(text)
    gate?.open()
  }

  private func writeNotes() async {
    while let text = notes.next() { await program.note("historywatch: \(text)") }
  }

  /// Ends; the first reason counts.
  private func end(_ reason: Ending) {
    guard ending == nil else { return }
    ending = reason
    starting?.cancel()
    gate?.open()
    // A message that nobody reads must not keep the process.
    Task { await program.abandonMessages() }
  }

  private func code() throws(HistoryError) -> ExitCode {
    switch ending {
    case .signal(let code): return code
    case .failure(let error): throw error
    case nil: return .success
    }
  }
}
