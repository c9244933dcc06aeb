import EventLoop
import HistoryModel
import HistoryObservation
import StoreBoundary
import TimelineReload

/// One run of `snapshot --follow`: keeps the file current until a signal ends it, and runs a command
/// after each file. It lives on the program's loop.
///
/// The file and the command each have their own passes, so a command that takes its time does not
/// keep the file from being current.
actor SnapshotSession {
  private nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let options: SnapshotOptions
  private let program: Program
  private var vigil: SessionVigil?
  private var command: ReloadCommand?
  private var starting: Task<Void, any Error>?
  private var complaint: String?
  private var written: StoreFacts?
  private var commandFailed = false

  init(_ options: SnapshotOptions, _ program: Program) {
    self.options = options
    self.program = program
    executor = program.executor
  }

  /// Runs to the end.
  func run() async throws -> ExitCode {
    if let name = options.command.first { try ReloadCommand.check(name) }
    let vigil = try SessionVigil(program)
    self.vigil = vigil
    vigil.onEnd = { [weak self] in self?.assumeIsolated { $0.starting?.cancel() } }
    if !options.command.isEmpty {
      command = try ReloadCommand(options.command, database: options.database, on: executor)
    }
    let store = try ObservedStore(path: options.database, on: executor)
    await store.hub.onCondition { [weak self] condition in
      self?.assumeIsolated { $0.vigil?.note(condition.note(path: $0.options.database)) }
    }
    let running = driver(.init()) { [weak self] in try await self?.runCommand() }
    let writing = driver(options.policy) { [weak self] in
      try await self?.write(from: store) { running.request() }
    }
    let inbox = SnapshotInbox(onChange: writing.request) { [weak self] error, isFinal in
      self?.assumeIsolated { $0.queryFailed(error, isFinal: isFinal) }
    }
    let isStarted = try await start(store, inbox, writing, vigil)
    let marker = isStarted ? watchMarker { writing.request() } : nil
    if isStarted { vigil.note("keeping \(options.file.path) current") }
    await vigil.wait()
    withExtendedLifetime(inbox) { marker?.close() }
    await writing.stop(cancelling: true)
    await running.stop(cancelling: true)
    await vigil.writeNotes()
    return try vigil.code()
  }

  private func driver(
    _ policy: PassStateMachine.Policy, _ work: @escaping @Sendable () async throws -> Void
  ) -> PassDriver {
    let driver = PassDriver(
      policy, on: executor, workingOn: executor, clock: SystemLoopClock()
    ) { [weak self] error, nextIn in
      self?.assumeIsolated { $0.passFailed(error, nextIn: nextIn) }
    }
    driver.begin(work)
    return driver
  }

  /// Observes the query and writes the first file, which must succeed: a wrong path shows at once.
  ///
  /// - Returns: Whether it did; false when a signal came first.
  private func start(
    _ store: ObservedStore, _ inbox: SnapshotInbox, _ writing: PassDriver,
    _ vigil: SessionVigil
  ) async throws -> Bool {
    let starting = Task(executorPreference: executor) { [request = options.request] in
      try await store.hub.observe(request, for: inbox)
      try await writing.pass()
    }
    self.starting = starting
    if vigil.ending != nil { starting.cancel() }
    do {
      try await starting.value
      self.starting = nil
      return vigil.ending == nil
    } catch {
      await writing.stop(cancelling: true)
      if vigil.ending != nil { return false }
      throw error
    }
  }

  /// Asks for a new file when the store's owner says that it has another version, which need not
  /// change any row.
  ///
  /// Where the system cannot watch, the next change of the rows brings the version too.
  private func watchMarker(_ changed: @escaping @Sendable () -> Void) -> DirectoryWatch? {
    let neighbours = StoreNeighbours(of: options.database)
    let name = neighbours.name + "-ready"
    return try? DirectoryWatch(directory: neighbours.directory, names: [name], on: executor) {
      found, _ in
      if found == name { changed() }
    }
  }
}

extension SnapshotSession {
  /// Writes the file, unless it says already what there is to say.
  private func write(
    from store: ObservedStore, whenWritten: @Sendable () -> Void
  ) async throws {
    let facts: StoreFacts
    do {
      facts = try await store.read { [query = options.query] in try query.read($0) }
    } catch let error as HistoryError where written != nil && error.code != .temporary {
      // It would fail again: what can mend it is a commit, which the query is run for.
      return queryFailed(error, isFinal: false)
    }
    // Another store that was moved over the file is read before anybody was told; the query will be.
    guard written.map({ $0.isOfSameStore(as: facts) }) ?? true else { return }
    complaint = nil
    guard written.map({ !$0.says(facts) }) ?? true else { return }
    try options.file.replace(with: facts.bytes)
    written = facts
    if command != nil { whenWritten() }
  }

  /// Runs the command for the file as it is.
  private func runCommand() async throws {
    guard let command, let written else { return }
    var environment = [
      "HISTORYWATCH_DATABASE": options.database, "HISTORYWATCH_SNAPSHOT": options.file.path,
      "HISTORYWATCH_REASON": (commandFailed ? Reload.Reason.retry : .changed).description,
    ]
    if let token = written.token { environment["HISTORYWATCH_UNTIL"] = "\(token)" }
    commandFailed = true
    do throws(HistoryError) {
      try await command.runToSuccess(environment)
    } catch {
      // What cannot be started now will not be started later either.
      if error.code == .usage { vigil?.end(.failure(error)) }
      throw error
    }
    commandFailed = false
  }

  private func passFailed(_ error: any Error, nextIn: Duration?) {
    guard let vigil, vigil.ending == nil, starting == nil else { return }
    vigil.note(ReloadEvent.sentence(of: error, nextIn: nextIn))
  }

  /// Says once why the query cannot be run at the moment; the file stays as it is.
  private func queryFailed(_ error: HistoryError, isFinal: Bool) {
    guard let vigil else { return }
    if isFinal { return vigil.end(.failure(error)) }
    guard error.message != complaint else { return }
    complaint = error.message
    vigil.note(error.message)
  }
}
