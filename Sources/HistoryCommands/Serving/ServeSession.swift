import EventLoop
import HistoryModel
import WatchServer

/// One run of `serve`: a server until a signal ends it. It lives on the program's loop.
actor ServeSession {
  private nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  private let options: ServeOptions
  private let program: Program
  private let isJournal: Bool
  private var entries: [[UInt8]] = []
  private var lostEntries = 0
  private var gate: LoopGate?
  private var isEnding = false
  /// Whether the configuration is to be read again.
  private var isStale = false
  private var manager: ServiceManager?
  private var watchdog: LoopTimer?

  /// How many entries wait at most for a standard error that is not read.
  private static let logLimit = 1000

  init(_ options: ServeOptions, _ program: Program) {
    self.options = options
    self.program = program
    executor = program.executor
    isJournal = ProcessEnvironment.value("JOURNAL_STREAM") != nil
  }

  /// Runs to the end.
  func run() async throws -> ExitCode {
    manager = try ServiceManager.current()
    let gate = try LoopGate(on: executor)
    self.gate = gate
    let signals = try SignalWatch([.interrupt, .terminate, .hangUp], on: executor) {
      [weak self] signal in
      self?.assumeIsolated { if signal == .hangUp { $0.readAgain() } else { $0.end() } }
    }
    defer { signals.close() }
    let log = ServerLog { [weak self] level, sentence in
      self?.assumeIsolated { $0.enter(level, sentence) }
    }
    let server = try WatchServer(options.settings, log: log, on: executor)
    do {
      try await server.start()
    } catch {
      await server.stop(within: .zero)
      await writeEntries()
      throw error
    }
    tell(.ready)
    try startWatchdog()
    while !isEnding {
      if isStale {
        isStale = false
        await declare(server)
      }
      await writeEntries()
      if !isEnding, !isStale, entries.isEmpty { _ = await gate.wait(for: nil) }
    }
    tell(.stopping)
    await server.stop()
    watchdog?.stop()
    await writeEntries()
    return .success
  }

  private func readAgain() {
    isStale = true
    gate?.open()
  }

  /// Reads the configuration again; one that cannot be used changes nothing.
  private func declare(_ server: WatchServer) async {
    tell(.reloading)
    do throws(HistoryError) {
      try await server.declare(try options.configuration())
    } catch {
      enter(.error, "the configuration was not taken: \(error.message)")
    }
    tell(.ready)
  }

  private func end() {
    isEnding = true
    gate?.open()
    // A message that nobody reads must not keep the process.
    Task { await program.abandonMessages() }
  }

  /// Tells the service manager that the loop still turns, twice in each of its intervals.
  private func startWatchdog() throws(LoopError) {
    guard let interval = manager?.watchdogInterval else { return }
    let timer = try LoopTimer(on: executor)
    timer.start(after: interval / 2, repeating: interval / 2) { [weak self] in
      self?.assumeIsolated { $0.tell(.watchdog) }
    }
    watchdog = timer
  }

  private func tell(_ message: ServiceManager.Message) {
    do throws(LoopError) {
      try manager?.tell(message)
    } catch {
      enter(.warning, "the service manager could not be told: \(error)")
    }
  }

  private func enter(_ level: ServerLog.Level, _ sentence: String) {
    guard entries.count < Self.logLimit else {
      lostEntries += 1
      return
    }
    entries.append(options.logFormat.line(level, sentence, at: .now, isJournal: isJournal))
    gate?.open()
  }

  private func writeEntries() async {
    while !entries.isEmpty {
      let bytes = entries.flatMap { $0 }
      entries = []
      await program.log(bytes)
      guard lostEntries > 0 else { continue }
      let count = lostEntries
      lostEntries = 0
      enter(.warning, "\(count) entries were lost, since nobody read them")
    }
  }
}
