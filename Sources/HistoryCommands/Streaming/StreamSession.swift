import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite

/// One run of `stream`: from a position to its end, as lines on standard output.
///
/// It alternates between reading a page and writing it; a reader that does not read stops it
/// between the two, with nothing held but the page. Confined to the program's loop.
final class StreamSession {
  /// Why and how the stream ends.
  struct Ending {
    var reason: ByeReason
    var code: ExitCode
    var message: String?
  }

  private let options: StreamOptions
  /// What is wanted of the history.
  var request: StreamRequest { options.request }
  /// The store, once ``begin(_:)`` has opened it.
  var store: TrackedStore
  var reader: HistoryReader?
  var lines = LineEncoder()
  private var outgoing: [UInt8] = []
  let keeper: (any PositionKeeper)?
  let gate: LoopGate
  var watch: StoreWatch?
  var ending: Ending?
  /// The encoded changes of the transaction being grouped.
  var group: [UInt8] = []
  var shownTransactions = 0
  var hasShown = false
  var pace: StreamPace<HistoryToken>
  /// The position up to which the output took everything: never what was only read.
  var covered: HistoryToken?
  private let start = ContinuousClock.now
  /// Lets writers go first; with much to read, not longer than it reads itself.
  var givingWay = GivingWay(insistence: GivingWay.patience)
  /// Whether the output has got how the stream begins.
  private var hasBegun = false
  /// Where rows go that have not all gone out.
  var rowsOutput: SnapshotOutput?
  private var saidMissing = false
  private var lastBreath = ContinuousClock.now
  /// The schema whose drift was told last, and what was told of it.
  var toldSchemaVersion: Int64?
  var toldNotices: Set<CaptureNotice> = []

  init(_ options: StreamOptions, _ program: isolated Program) throws {
    self.options = options
    let request = options.request
    store = try TrackedStore(
      path: options.database, access: .readOnly, busyTimeout: request.isFollowing ? 0 : 5000)
    gate = try LoopGate(on: program.executor)
    if let path = options.cursorFile {
      keeper = try CursorFile(path: path)
    } else if let name = options.consumer {
      keeper = ConsumerKeeper(name, at: options.database)
    } else {
      keeper = nil
    }
    pace = StreamPace(
      timeout: request.timeout, bookmarkInterval: request.bookmarkInterval,
      keepDelay: keeper?.delay, now: .zero)
  }

  /// How long the stream has been running.
  var now: Duration { start.duration(to: .now) }

  /// Runs to the end.
  func run(in program: isolated Program) async throws -> ExitCode {
    let signals = try SignalWatch([.interrupt, .terminate], on: program.executor) {
      [weak self, output = program.output] signal in
      self?.end(.signal, signal == .interrupt ? .interrupted : .terminated)
      // A write that waits for a stuck reader must not keep the process.
      output.abandon()
    }
    defer { signals.close() }
    program.output.watchForReader { [weak self] in self?.readerWentAway() }
    do {
      try await begin(program)
      if request.limit == 0 { end(.limit, .success) }
      while ending == nil {
        try await turn(program)
      }
    } catch OutputError.readerGone {
      ending = Ending(reason: .end, code: .readerGone)
    } catch OutputError.abandoned {
      // The signal that gave it up is the ending.
      if ending == nil { end(.signal, .terminated) }
    } catch let error as HistoryError where hasBegun || reader != nil || ending != nil {
      // A signal may have ended a wait in its middle; else the reader is told why it ends.
      if ending == nil {
        end(.error, ExitCode(error.code), message: error.message)
        await program.complain(error)
      }
    }
    return try await finish(program)
  }

  /// Ends the stream at the next turn; the first reason counts.
  func end(_ reason: ByeReason, _ code: ExitCode, message: String? = nil) {
    guard ending == nil else { return }
    ending = Ending(reason: reason, code: code, message: message)
    gate.open()
  }

  private func readerWentAway() {
    ending = Ending(reason: .end, code: .readerGone)
    gate.open()
  }

  /// Reads and writes one page, or waits.
  private func turn(_ program: isolated Program) async throws {
    guard let reader else { return end(.end, .success) }
    let state = try await patiently(program) { [self] () throws(HistoryError) in
      try readPage(reader, isGivingWay: request.isFollowing && !givingWay.isInsisting)
    }
    let isStill = state != .more
    if isStill, reader.takePassedOver() { bookmark(reader.token) }
    if state == .atHead, let version = reader.versionAtHead {
      try await cameToHead(version, program)
    }
    try await flush(program)
    covered = reader.token
    if pace.due(reader.token, now: now).contains(.keep) { try keep(reader.token) }
    guard ending == nil else { return }
    switch state {
    case .more: try await breathe(program)
    case .atEnd: end(.end, .success)
    case .atHead:
      if request.isFollowing { try await wait(program) } else { end(.end, .success) }
    case .expired(let reason): try await expire(reader.token.description, reason, program)
    }
  }

  /// Does what is left to do with the store at the head, so that nothing is read any more once
  /// what was read is out: whoever gets it may be the one who writes next.
  private func cameToHead(_ version: StoreVersion, _ program: isolated Program) async throws {
    givingWay.caughtUp()
    watch?.ownerRead(version)
    if version.schema != toldSchemaVersion {
      let isFirst = toldSchemaVersion == nil
      let note = try await patiently(program) { [self] () throws(HistoryError) -> String? in
        try encodeDrift(version.schema)
        return isFirst ? try request.filter.noteOfUntracked(in: store) : nil
      }
      if let note { await program.note("historywatch: \(note)") }
    }
    guard request.isFollowing, watch == nil else { return }
    let watch = try StoreWatch(store, opening: gate, on: program.executor)
    // The first look comes before the loop next sleeps, and compares with what was read, so that
    // nothing committed meanwhile is missed.
    watch.ownerRead(version)
    self.watch = watch
    try? await LoopTimer.sleep(for: .zero, on: program.executor)
  }

  /// Lets the loop turn now and then while there is much to read, so that signals are heard.
  func breathe(_ program: isolated Program) async throws {
    guard lastBreath.duration(to: .now) >= .milliseconds(20) else { return }
    try? await LoopTimer.sleep(for: .zero, on: program.executor)
    lastBreath = .now
  }

  /// Waits at the head until there may be more, or something else is due.
  private func wait(_ program: isolated Program) async throws {
    while ending == nil {
      // What was found counts, not that the gate was opened: others may have passed it meanwhile.
      switch watch?.takeFinding() ?? .changed {
      case .unchanged:
        _ = await gate.wait(for: reader.flatMap { pace.wait($0.token, now: now) })
        if ending == nil { try await doWhatIsDue(program) }
      case .changed:
        saidMissing = false
        return
      case .busy, .writing: return
      case .missing:
        if !saidMissing {
          saidMissing = true
          await program.note("historywatch: \(store.path) is gone; waiting for it to come back")
        }
      case .replaced:
        saidMissing = false
        try await followReplacement(program)
        return
      }
    }
  }

  private func doWhatIsDue(_ program: isolated Program) async throws {
    guard let reader else { return }
    for action in pace.due(reader.token, now: now) {
      switch action {
      case .timeOut:
        end(.timeout, .timeout)
      case .bookmark:
        bookmark(reader.token)
        try await flush(program)
      case .keep:
        try keep(reader.token)
      }
    }
  }

  private func bookmark(_ token: HistoryToken) {
    lines.bookmark(token)
    pace.bookmarked(now: now)
  }

  /// Writes the lines out.
  func flush(_ program: isolated Program) async throws {
    if hasShown {
      pace.shown(now: now)
      hasShown = false
    }
    guard !lines.bytes.isEmpty else { return }
    // Two buffers take turns, so that neither is copied or allocated anew.
    swap(&lines.bytes, &outgoing)
    defer { outgoing.removeAll(keepingCapacity: true) }
    try await program.output.write(outgoing)
    hasBegun = true
  }

  /// Keeps the position of what the output took.
  private func keep(_ token: HistoryToken) throws(HistoryError) {
    guard let keeper else { return }
    let isKept = try keeper.save(token)
    pace.triedToKeep(token, isKept: isKept, now: now)
  }

  /// Says how it ended, and keeps the position.
  private func finish(_ program: isolated Program) async throws -> ExitCode {
    watch?.stop()
    guard let ending else { return .success }
    var code = ending.code
    if code != .readerGone {
      // Nothing else can be said while rows are on their way.
      await rowsOutput?.settle()
      lines.bye(ending.reason, message: ending.message, token: covered)
      do {
        try await flush(program)
      } catch is OutputError {
        // The reader is stuck or gone; what it did not take comes again.
      }
    }
    if let keeper, let token = covered, pace.isUnkept(token) {
      do throws(HistoryError) {
        try keeper.saveAtEnd(token)
      } catch {
        if code == .success {
          await program.complain(error)
          code = ExitCode(error.code)
        }
      }
    }
    return code
  }
}
