import EventLoop
import HistoryModel
import HistoryObservation
import WatchClient

/// One run of `stream --socket`: a server's lines on standard output, over as many connections as it
/// takes.
///
/// It alternates between reading from the socket and writing; a reader that does not read stops it
/// between the two, and so the server. Confined to the program's loop.
final class RemoteStreamSession {
  private static let pageSize = 1 << 16

  let options: RemoteStreamOptions
  var passage: StreamPassage
  var connection: ServerConnection?
  var ending: StreamSession.Ending?
  let keeper: (any PositionKeeper)?
  /// The position up to which the output took everything.
  var covered: HistoryToken?
  var keeping: StreamPace<HistoryToken>
  let keepTimer: LoopTimer
  private let gate: LoopGate
  private var output: [UInt8] = []
  private var machine = ConnectionStateMachine()
  private var generator = SystemRandomNumberGenerator()
  private var lastShown = ContinuousClock.now
  private let start = ContinuousClock.now
  private var saidGone = false
  private var hasSaidBye = false
  /// Why the position could not be kept, which ends the stream.
  private var keepFailure: HistoryError?
  /// Where the cursor file stood.
  private var kept: HistoryToken?

  init(_ options: RemoteStreamOptions, _ program: isolated Program) throws {
    self.options = options
    passage = StreamPassage(onExpired: options.request.onExpired)
    keeper = try options.cursorFile.map { path throws(HistoryError) in try CursorFile(path: path) }
    gate = try LoopGate(on: program.executor)
    keepTimer = try LoopTimer(on: program.executor)
    keeping = StreamPace(
      timeout: nil, bookmarkInterval: nil,
      keepDelay: options.consumer == nil ? keeper?.delay : ConsumerKeeper.usualDelay, now: .zero)
  }

  /// How long the stream has been running.
  var now: Duration { start.duration(to: .now) }

  /// Runs to the end.
  func run(in program: isolated Program) async throws -> ExitCode {
    kept = try keeper?.position()
    let signals = try SignalWatch([.interrupt, .terminate], on: program.executor) {
      [weak self, output = program.output] signal in
      self?.end(.signal, signal == .interrupt ? .interrupted : .terminated)
      // A write that waits for a stuck reader must not keep the process.
      output.abandon()
    }
    defer { signals.close() }
    program.output.watchForReader { [weak self] in self?.end(.end, .readerGone) }
    do {
      while ending == nil { try await turn(program) }
    } catch OutputError.readerGone {
      ending = .init(reason: .end, code: .readerGone)
    } catch OutputError.abandoned {
      // The signal that gave it up is the ending.
      end(.signal, .terminated)
    } catch let error as HistoryError where passage.hasBegun {
      await fail(error, program)
    }
    return await finish(program)
  }

  /// Ends the stream; the first reason counts.
  func end(_ reason: ByeReason, _ code: ExitCode, message: String? = nil) {
    guard ending == nil else { return }
    ending = .init(reason: reason, code: code, message: message)
    // Whatever waits ends.
    gate.open()
    connection?.close()
  }

  /// Ends the stream at the next turn, since its position could not be kept.
  func keepingFailed(_ error: HistoryError) {
    keepFailure = error
    connection?.close()
    gate.open()
  }

  /// Ends the stream because of an error, and says so.
  func fail(_ error: HistoryError, _ program: isolated Program) async {
    guard ending == nil else { return }
    end(.error, ExitCode(error.code), message: error.message)
    await program.complain(error)
  }

  /// Connects, or reads and writes what has come.
  private func turn(_ program: isolated Program) async throws {
    if let keepFailure { throw keepFailure }
    guard let connection else { return try await connect(program) }
    while ending == nil, self.connection != nil, let line = connection.line() {
      let step: StreamPassage.Step
      do throws(LineError) {
        step = try passage.take(line, into: &output)
      } catch {
        throw HistoryError.notAServer(options.socket, error)
      }
      try await act(on: step, program)
      if output.count >= Self.pageSize { try await flush(program) }
    }
    try await flush(program)
    guard ending == nil, self.connection != nil else { return }
    let isThere = try? await connection.fill()
    if isThere == false { try await lost(program) }
  }

  private func act(on step: StreamPassage.Step, _ program: isolated Program) async throws {
    switch step {
    case .goOn: break
    case .shown:
      machine.wasOfUse()
      lastShown = .now
    case .ended(let bye):
      // Its line is in the output already.
      try await flush(program)
      await ended(bye, program)
    case .lost: try await lost(program)
    case .tooSlow:
      end(.slow, .slow)
    case .kept(let token): keeping.triedToKeep(token, isKept: true, now: now)
    case .keepFailed(let error):
      guard error.isLeftToStream else { throw error }
      scheduleKeeping()
    case .failed(let error):
      // One that passes by itself is worth another attempt, but not the first one.
      guard passage.hasBegun, error.code == .temporary, !passage.isConfused else {
        guard let keeper, kept != nil, error.code == .foreignToken else { throw error }
        throw keeper.ofAnotherStore(error)
      }
      try await lost(program)
    }
  }

  private func ended(_ bye: StreamLine.Bye, _ program: isolated Program) async {
    var code = ExitCode.success
    switch bye.reason {
    case .timeout: code = .timeout
    case .expired:
      code = .expired
      await program.complain(
        .streamExpired(passage.expiry?.reason ?? .trimmed, oldest: passage.expiry?.oldest))
    case .error:
      code = .failure
      await program.complain(HistoryError(.temporary, bye.message ?? "the stream failed"))
    case .end, .limit, .signal, .slow: break
    }
    end(bye.reason, code)
    hasSaidBye = true
  }

  /// Connects, after a pause unless it is the first time.
  private func connect(_ program: isolated Program) async throws {
    var left: Duration?
    if let timeout = options.request.timeout {
      left = timeout - lastShown.duration(to: .now)
      if passage.hasBegun, left ?? .zero <= .zero { return end(.timeout, .timeout) }
    }
    switch machine.next(using: &generator) {
    case .stop: return
    case .pause(let pause):
      _ = await gate.wait(for: left.map { min($0, pause) } ?? pause)
      return
    case .connect: break
    }
    do throws(LoopError) {
      connection = try await ServerConnection.open(options.socket, on: program.executor)
    } catch {
      guard passage.hasBegun, error.isNobodyThere else {
        throw HistoryError.unreachable(options.socket, error)
      }
      return machine.failed()
    }
    machine.connected()
    let request = options.subscription(
      after: passage.position ?? kept, isResuming: passage.hasBegun, shown: passage.transactions,
      timeout: left)
    if connection?.send([.hello, request]) != true { return try await lost(program) }
    // What was asked for on the connection before may not have been done.
    scheduleKeeping()
  }

  /// The server is gone: comes back later, if the output can go on then.
  private func lost(_ program: isolated Program) async throws {
    connection?.close()
    connection = nil
    guard passage.hasBegun, passage.connectionLost() else {
      throw HistoryError.serverGone(options.socket)
    }
    machine.failed()
    guard !saidGone else { return }
    saidGone = true
    await program.note(
      "historywatch: the server at \(options.socket) went away; waiting for it to come back")
  }

  /// Writes the lines out.
  private func flush(_ program: isolated Program) async throws {
    guard !output.isEmpty else { return }
    defer { output.removeAll(keepingCapacity: true) }
    let position = passage.position
    try await program.output.write(output)
    covered = position
    keepWhenDue()
  }

  /// Says how it ended, and keeps the position.
  private func finish(_ program: isolated Program) async -> ExitCode {
    keepTimer.stop()
    connection?.close()
    guard let ending else { return .success }
    if ending.code != .readerGone, !hasSaidBye {
      var lines = LineEncoder()
      lines.bye(ending.reason, message: ending.message, token: covered)
      // A reader who is stuck or gone does not take it.
      try? await program.output.write(output + lines.bytes)
      output = []
    }
    guard let covered, keeping.isUnkept(covered) else { return ending.code }
    do throws(HistoryError) {
      try await keepAtEnd(covered, program)
    } catch {
      guard ending.code == .success else { return ending.code }
      await program.complain(error)
      return ExitCode(error.code)
    }
    return ending.code
  }
}
