import EventLoop
import HistoryModel
import HistoryObservation

/// Does for one kind what its state machine decides: listens, waits, keeps the state and runs.
///
/// It lives on the store's loop. Whoever has a run on its way keeps it until that has ended.
actor KindDriver {
  /// What the drivers of a reloader have in common.
  struct Surroundings: Sendable {
    let store: ObservedStore
    let clock: any LoopClock
    /// Where the handler runs; nil for Swift's own threads.
    let handlerExecutor: LoopExecutor?
    /// Told what happens, on the loop.
    let tell: @Sendable (ReloadEvent) -> Void
    let handler: @Sendable (Reload) async throws -> Void
  }

  /// How long one alarm may be: a timer stands still while the computer sleeps, a clock does not.
  private static let longestWait = Duration.seconds(60)

  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  nonisolated let kind: TimelineKind
  let surroundings: Surroundings
  var machine: ReloadStateMachine
  /// Where the state is kept, until the driver has ended.
  var file: ReloadStateFile?
  private var dueAlarm: AnyObject?
  var keepAlarm: AnyObject?
  var listenAlarm: AnyObject?
  private var run: Task<Void, Never>?
  /// Whether the present run was told to end.
  private var isRunEnding = false
  var isStopped = false
  private var unconfirmedRuns: Int
  private var runError: (any Error)?
  var listenError: HistoryError?
  var keepError: HistoryError?

  private init(
    _ kind: TimelineKind, _ state: ReloadState, in file: sending ReloadStateFile?,
    _ surroundings: Surroundings
  ) {
    self.kind = kind
    self.surroundings = surroundings
    self.file = file
    executor = surroundings.store.hub.executor
    unconfirmedRuns = state.tries?.count ?? 0
    machine = ReloadStateMachine(
      kind: kind.name, kind.policy, state, now: surroundings.clock.now,
      wallClock: surroundings.clock.wallClock)
  }

  /// Takes up where a kept state left off, or begins anew.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - path: The path of its state file; nil for none.
  ///   - position: Where to begin when no state was kept.
  ///   - surroundings: What it has in common with others.
  /// - Returns: A driver that listens.
  /// - Throws: ``HistoryError`` when the state cannot be used or the store cannot be read.
  static func begin(
    _ kind: TimelineKind, stateAt path: String?, after position: HistoryPosition,
    _ surroundings: Surroundings
  ) async throws(HistoryError) -> KindDriver {
    var file: ReloadStateFile?
    if let path { file = try await open(path, surroundings.store.hub) }
    let kept = try file?.read()
    let state: ReloadState
    if let kept {
      state = kept
    } else {
      state = ReloadState(at: try await surroundings.store.hub.usable(position))
    }
    let driver = KindDriver(kind, state, in: file, surroundings)
    do throws(HistoryError) {
      try await driver.begin(isNew: kept == nil)
    } catch {
      await driver.end()
      if let path, kept != nil, error.code == .foreignToken {
        throw .stateFileOfAnotherStore(path, error)
      }
      throw error
    }
    return driver
  }

  /// Locks a state file.
  ///
  /// When a process was killed that was about to start a command, what it had forked for that keeps
  /// its locks until it runs the command's program: a moment, which is waited out. On a busy machine
  /// that moment can last for some hundred milliseconds.
  private static func open(
    _ path: String, _ hub: StoreHub
  ) async throws(HistoryError) -> ReloadStateFile {
    for _ in 1...100 {
      if let file = try ReloadStateFile.unlessTaken(path: path) { return file }
      await hub.pause(for: .milliseconds(10))
    }
    return try ReloadStateFile(path: path)
  }

  private func begin(isNew: Bool) async throws(HistoryError) {
    if isNew {
      // What is committed from now on must not be lost even if nothing ever runs.
      keep()
      if let keepError { throw keepError }
    }
    perform(machine.began(now: now))
    try await listen(isAtStart: true)
  }

  /// The present time.
  var now: Duration { surroundings.clock.now }

  /// Somebody asked for a reload by hand.
  func requestReload() throws(HistoryError) {
    guard !isStopped else { throw .reloadingStopped }
    perform(machine.reloadRequested(now: now))
    if let keepError { throw keepError }
  }

  /// How far it is.
  func status() -> TimelineStatus {
    let state = machine.state(now: now, wallClock: surroundings.clock.wallClock)
    return TimelineStatus(
      kind: kind.name, pending: machine.pending, isRunning: run != nil,
      unconfirmedRuns: unconfirmedRuns, attempts: state.tries?.count ?? 0,
      lastError: listenError ?? keepError ?? runError, confirmedToken: state.token)
  }

  /// Runs nothing any more, and has the present run ended.
  func end() {
    guard !isStopped else { return }
    isStopped = true
    leave()
    perform(machine.stopped())
    if run == nil { finish() }
  }

  /// Runs nothing any more, and waits until the present run has ended.
  ///
  /// - Throws: ``HistoryError`` when the state could not be kept.
  func stop() async throws(HistoryError) {
    end()
    await run?.value
    if let keepError { throw keepError }
  }
}

extension KindDriver {
  /// Does what the machine asks for.
  func perform(_ action: ReloadStateMachine.Action) {
    dueAlarm = nil
    switch action {
    case .rest: break
    case .wait(let time):
      let delay = min(max(.zero, time - now), Self.longestWait)
      dueAlarm = alarm(after: delay) { $0.perform($0.machine.timerFired(now: $0.now)) }
    case .start(let reload):
      keep()
      begin(reload)
    case .endRun:
      isRunEnding = true
      run?.cancel()
    }
    keepInTime()
  }

  /// Calls back after a time, unless what is returned is let go.
  func alarm(
    after delay: Duration, _ call: @escaping @Sendable (isolated KindDriver) -> Void
  ) -> AnyObject? {
    surroundings.clock.alarm(after: delay, on: executor) { [weak self] in
      self?.assumeIsolated { call($0) }
    }
  }

  private func begin(_ reload: Reload) {
    isRunEnding = false
    unconfirmedRuns += 1
    surroundings.tell(.began(reload))
    run = Task.detached(executorPreference: surroundings.handlerExecutor) { [surroundings] in
      var failure: (any Error)?
      do {
        try await surroundings.handler(reload)
      } catch {
        failure = error
      }
      await self.ended(reload, failure)
    }
  }

  private func ended(_ reload: Reload, _ failure: (any Error)?) {
    run = nil
    let isConfirmed = failure == nil && !isRunEnding
    let action = machine.runEnded(isConfirmed: isConfirmed, now: now)
    if isConfirmed {
      unconfirmedRuns = 0
      runError = nil
      surroundings.tell(.confirmed(reload))
    } else if !isRunEnding, let failure {
      runError = failure
      var nextIn: Duration?
      if case .wait(let time) = action { nextIn = time - now }
      surroundings.tell(.failed(reload, failure, nextIn: nextIn))
    } else {
      surroundings.tell(.ended(reload))
    }
    perform(action)
    if isStopped { finish() }
  }
}
