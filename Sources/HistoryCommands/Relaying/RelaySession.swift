import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistorySync
import SQLite

/// One run of `relay`: from where the broker stands to the head, and on.
///
/// Confined to the program's loop.
final class RelaySession {
  /// What is to be done.
  struct Options {
    var database: String
    var stream: RelayStream
    var isFollowing = true
    var relay = HistoryRelay.Options()
  }

  private let options: Options
  private let store: TrackedStore
  /// The store's identity, once the store could be read.
  private var identifier: StoreIdentifier?
  private let relay: HistoryRelay
  private let gate: LoopGate
  private let connector: RelayConnector
  private let keeper: ConsumerKeeper
  private var carrier: (any RelayCarrier)?
  private var watch: StoreWatch?
  private var signal: ExitCode?
  private var givingWay = GivingWay(insistence: GivingWay.patience)
  private var lastBreath = ContinuousClock.now
  private let start = ContinuousClock.now
  /// How often in a row another relay was quicker.
  private var refusals = 0
  private var hasConsumer = false
  private var hasTold = false
  /// What is to be acknowledged and was not, since others were writing.
  private var unkept: HistoryToken?

  private var now: Duration { start.duration(to: .now) }

  init(_ options: Options, _ program: isolated Program) throws {
    self.options = options
    store = try TrackedStore(
      path: options.database, access: .readOnly, busyTimeout: options.isFollowing ? 0 : 5000)
    relay = HistoryRelay(store, options.relay)
    gate = try LoopGate(on: program.executor)
    connector = RelayConnector(options.stream, gate, isPatient: options.isFollowing)
    keeper = ConsumerKeeper(options.stream.consumer, at: options.database)
  }

  /// Runs to the end.
  func run(in program: isolated Program) async throws -> ExitCode {
    let signals = try SignalWatch([.interrupt, .terminate], on: program.executor) {
      [weak self] signal in
      self?.signal = signal == .interrupt ? .interrupted : .terminated
      self?.connector.end()
      self?.gate.open()
    }
    defer {
      signals.close()
      watch?.stop()
      connector.end()
    }
    while signal == nil {
      switch relay.action {
      case .connect: try await connect(program)
      case .anchor:
        guard let carrier else { continue }
        try await relay.anchor(carrier, now: now)
        try await takeLoss(program)
        await tellOfBeginning(program)
        try keep()
      case .read:
        try await patiently(program) { try relay.read() }
        try await breathe(program)
      case .append:
        guard let carrier else { continue }
        let isStored = try await relay.append(to: carrier, now: now)
        try await took(isStored, program)
      case .wait:
        givingWay.caughtUp()
        try keep()
        guard options.isFollowing else { return .success }
        try await wait(program)
      }
    }
    return signal ?? .success
  }

  private func connect(_ program: isolated Program) async throws {
    let stream = options.stream
    let known =
      if let identifier { identifier } else {
        try await patiently(program) { try store.state().storeIdentifier }
      }
    guard let known else { return }
    identifier = known
    let made = try await connector.connect(program) {
      connection async throws(RelayFailure) in
      try await stream.carrier(connection, of: known)
    }
    guard let made else { return }
    carrier = made
    relay.connected(to: made)
  }

  /// Goes on after an append.
  private func took(_ isStored: Bool, _ program: isolated Program) async throws {
    if isStored {
      refusals = 0
      connector.wasOfUse()
      try keep()
      return
    }
    try await takeLoss(program)
    guard case .anchor = relay.action else { return }
    refusals += 1
    // Of two relays one is always first; the other need not be in its way.
    if refusals > 1 {
      _ = await gate.wait(for: .milliseconds(min(10 << min(refusals, 10), 2000)))
    }
  }

  /// Says once that nobody can begin to follow.
  private func tellOfBeginning(_ program: isolated Program) async {
    if hasTold || relay.hasBeginning { return }
    hasTold = true
    await program.note(
      "historywatch: the stream has dropped the first message of this store; "
        + "who begins to follow needs a new beginning: relay --resync")
  }

  /// Lets go of a connection that is lost.
  private func takeLoss(_ program: isolated Program) async throws {
    guard case .connect = relay.action, carrier != nil else { return }
    carrier = nil
    guard let loss = relay.lastLoss else { return }
    try await connector.failed(.lost(loss), program)
  }

  /// Lets the store keep its history from where the broker surely stands.
  private func keep() throws {
    if !hasConsumer {
      do throws(HistoryError) {
        try makeConsumer()
      } catch {
        // Others are writing; they come first, and without a consumer there is nothing to move.
        guard error.code == .temporary else { throw error }
      }
    }
    if let due = relay.takeConfirmed(now: now) { unkept = due }
    guard hasConsumer, let token = unkept else { return }
    do throws(HistoryError) {
      if try keeper.save(token) { unkept = nil }
    } catch {
      // Trimmed by force, or restored: reading finds that out, if it matters.
      guard error.code == .historyTokenExpired else { throw error }
      unkept = nil
    }
  }

  private func makeConsumer() throws(HistoryError) {
    let name = options.stream.consumer
    let store = try TrackedStore(path: options.database, access: .readWrite)
    let consumers = Consumers(store)
    func isThere() throws(HistoryError) -> Bool {
      try consumers.list().contains { $0.name == name }
    }
    if try !isThere() {
      do throws(HistoryError) {
        _ = try consumers.create(name, at: .oldest)
      } catch {
        // Another relay may have been quicker.
        guard try isThere() else { throw error }
      }
    }
    hasConsumer = true
  }

  /// Reads, and lets writers of the store go first, whose commits a read would make fail with a
  /// rollback journal.
  private func patiently<T>(
    _ program: isolated Program, _ body: () throws -> T
  ) async throws -> T? {
    while signal == nil {
      while options.isFollowing, signal == nil,
        givingWay.found(isWriting: store.hasWriter, now: now) == .wait
      {
        _ = await gate.wait(for: .milliseconds(1))
      }
      do {
        return try body()
      } catch let error as HistoryError {
        guard options.isFollowing, signal == nil, error.passesByItself else { throw error }
      }
      _ = await gate.wait(for: .milliseconds(20))
    }
    return nil
  }

  /// Waits at the head until there may be more.
  private func wait(_ program: isolated Program) async throws {
    if watch == nil, let version = relay.versionAtHead {
      let watch = try StoreWatch(store, opening: gate, on: program.executor)
      watch.ownerRead(version)
      self.watch = watch
      try? await LoopTimer.sleep(for: .zero, on: program.executor)
    } else if let version = relay.versionAtHead {
      watch?.ownerRead(version)
    }
    while signal == nil {
      // What the server loses with its crash is to be there again, also while nothing new comes.
      if let loss = carrier?.loss {
        relay.lost(loss)
        return try await takeLoss(program)
      }
      switch watch?.takeFinding() ?? .changed {
      case .unchanged, .missing:
        let isKept = unkept == nil && hasConsumer
        let due = isKept ? relay.nextConfirmation.map { max(.zero, $0 - now) } : .seconds(1)
        _ = await gate.wait(for: due)
        try keep()
      case .changed, .busy, .writing: return relay.woke()
      case .replaced: throw HistoryError.sourceExpired(.storeReplaced)
      }
    }
  }

  /// Lets the loop turn now and then, so that signals are heard.
  private func breathe(_ program: isolated Program) async throws {
    guard lastBreath.duration(to: .now) >= .milliseconds(20) else { return }
    try? await LoopTimer.sleep(for: .zero, on: program.executor)
    lastBreath = .now
  }
}
