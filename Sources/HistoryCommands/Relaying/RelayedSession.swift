import EventLoop
import HistoryModel
import HistoryStore
import HistorySync

#if NATS
  import JetStream
#endif

/// One run of `apply --from nats://…`: reads a store's messages from where the target stands, and
/// follows them.
///
/// Confined to the program's loop.
final class RelayedSession {
  /// What is to be done.
  struct Options {
    var stream: RelayStream
    /// The store to follow; nil for the only one.
    var store: StoreIdentifier?
    var isFollowing = true
    var resynchronizes = false
  }

  private let options: Options
  private let applier: HistoryApplier
  private let connector: RelayConnector
  private let gate: LoopGate
  private var source: (any RelaySource)?
  private var follower: RelayFollower?
  /// The sequence of the last message that was there when it was looked for.
  private var last: UInt64 = 0
  /// How often in a row the place had to be found anew without anything applied.
  private var restarts = 0
  /// Whether the place to go on at is to be found, since the connection or an attempt is new.
  private var mustBegin = true
  private var signal: ExitCode?

  init(_ options: Options, _ applier: HistoryApplier, _ program: isolated Program) throws {
    self.options = options
    self.applier = applier
    gate = try LoopGate(on: program.executor)
    connector = RelayConnector(options.stream, gate, isPatient: options.isFollowing)
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
      connector.end()
    }
    while signal == nil {
      guard let source, let follower else {
        try await connect(program)
        continue
      }
      do {
        if mustBegin {
          last = try await follower.begin(source)
          mustBegin = false
        }
        if !options.isFollowing, follower.sequence >= last {
          try follower.finish()
          return .success
        }
        if let message = try await source.next() {
          try await take(message, follower, source, program)
        }
      } catch let failure as RelayFailure {
        try await lose(failure, program)
      } catch let error as HistoryError where options.isFollowing && error.passesByItself {
        // Somebody has the target locked. What of the message is in it the target knows.
        mustBegin = true
        if signal == nil { _ = await gate.wait(for: .milliseconds(20)) }
      }
    }
    return signal ?? .success
  }

  /// Connects, and finds the place to begin at.
  private func connect(_ program: isolated Program) async throws {
    let (options, applier) = (options, applier)
    let made = try await connector.connect(program) {
      connection async throws(RelayFailure) in
      let store =
        if let store = options.store { store } else { try await connection.onlyStore() }
      return (store, try options.stream.source(connection, of: store))
    }
    guard let (store, source) = made else { return }
    guard store != applier.storeIdentifier else { throw HistoryError.ownIdentity(store) }
    let follower =
      self.follower
      ?? RelayFollower(applier, following: store, resynchronizes: options.resynchronizes)
    self.follower = follower
    self.source = source
    mustBegin = true
  }

  private func take(
    _ message: StoredMessage, _ follower: RelayFollower, _ source: any RelaySource,
    _ program: isolated Program
  ) async throws {
    let (conflicts, follows) = try follower.take(message)
    try await ApplyCommand.show(conflicts, program)
    if let outcome = follower.takeOutcome() {
      await program.note(ApplyCommand.sentence(outcome))
    }
    if follows {
      restarts = 0
      connector.wasOfUse()
      return
    }
    // The server lost what was held already, and it came anew in other messages.
    restarts += 1
    guard restarts < 10 else { throw HistoryError.missingPart(held: nil) }
    last = try await follower.begin(source)
  }

  private func lose(_ failure: RelayFailure, _ program: isolated Program) async throws {
    source = nil
    if signal == nil { try await connector.failed(failure, program) }
  }
}
