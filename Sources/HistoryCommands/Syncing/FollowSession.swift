import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistorySync
import SQLite

/// One run of `apply --from`: reads a store from where the target stands, and follows it.
///
/// Confined to the program's loop.
final class FollowSession {
  /// What is to be done.
  struct Options {
    var source: String
    var isFollowing: Bool
    var resynchronizes: Bool
  }

  /// How many bytes of transactions a page has, about.
  private static let pageSize = 1 << 18

  private let options: Options
  private let applier: HistoryApplier
  private let store: TrackedStore
  private let gate: LoopGate
  private var watch: StoreWatch?
  private var signal: ExitCode?
  private var lastBreath = ContinuousClock.now
  private let start = ContinuousClock.now
  private var givingWay = GivingWay(insistence: GivingWay.patience)

  init(_ options: Options, _ applier: HistoryApplier, _ program: isolated Program) throws {
    self.options = options
    self.applier = applier
    store = try TrackedStore(
      path: options.source, access: .readOnly, busyTimeout: options.isFollowing ? 0 : 5000)
    gate = try LoopGate(on: program.executor)
  }

  /// Runs to the end.
  func run(in program: isolated Program) async throws -> ExitCode {
    let signals = try SignalWatch([.interrupt, .terminate], on: program.executor) {
      [weak self] signal in
      self?.signal = signal == .interrupt ? .interrupted : .terminated
      self?.gate.open()
    }
    defer {
      signals.close()
      watch?.stop()
    }
    let start = try await begin(program)
    let reader = try await patiently(program) { try HistoryReader(store, after: start) }
    while signal == nil {
      switch try await page(reader, program) {
      case .more: try await breathe(program)
      case .atEnd, .atHead:
        givingWay.caughtUp()
        try await patiently(program) { try applier.advance(to: reader.token) }
        guard options.isFollowing else { return .success }
        try await wait(reader, program)
      case .expired(let reason): throw HistoryError.sourceExpired(reason)
      }
    }
    return signal ?? .success
  }

  /// Finds where to begin, after a comparison with the rows where that is asked for.
  private func begin(_ program: isolated Program) async throws -> HistoryToken {
    let state = try await patiently(program) { try store.state() }
    guard state.storeIdentifier != applier.storeIdentifier else {
      throw HistoryError.ownIdentity(state.storeIdentifier)
    }
    if options.resynchronizes { return try await begin(comparing: true, program) }
    guard let held = try applier.position(of: state.storeIdentifier) else {
      // Rows from before the source was tracked are in no history, and a new store lacks them.
      if applier.creates { return try await begin(comparing: false, program) }
      guard state.oldest.sequence == 0 else { throw HistoryError.missingPart(held: nil) }
      return state.oldest
    }
    let position = try await patiently(program) { try store.resolve(.after(held)).position }
    if case .expired(_, let reason) = position {
      throw HistoryError.sourceExpired(reason)
    }
    return held
  }

  /// Begins with the rows as they are, instead of the history.
  private func begin(
    comparing: Bool, _ program: isolated Program
  ) async throws -> HistoryToken {
    let rows = try await patiently(program) {
      try RowSnapshot(store, filter: ChangeFilter())
    }
    defer { rows.end() }
    try await patiently(program) {
      try applier.beginSnapshot(at: rows.token, tables: rows.tables)
    }
    while let shape = try rows.next() {
      try applier.takeRow(shape: shape, values: rows.values)
      try await breathe(program)
      if signal != nil { return rows.token }
    }
    rows.end()
    let outcome = try applier.finishSnapshot(resynchronizes: comparing)
    if comparing { await program.note(ApplyCommand.sentence(outcome)) }
    return rows.token
  }

  /// Reads a page and applies it.
  private func page(
    _ reader: HistoryReader, _ program: isolated Program
  ) async throws -> ReadingState {
    var collector = TransactionCollector()
    var gap: CaptureNotice?
    var state = ReadingState.more
    repeat {
      state = try await patiently(program) {
        try reader.read { item in
          switch item {
          case .change(let change, let index, _):
            collector.append(change, in: reader.values, index: index)
          case .commit(let record, _, let token):
            collector.commit(record, token: token)
            if collector.size >= Self.pageSize { return .pause }
          case .notice(let notice, _):
            guard case .gap = notice.event else { return .goOn }
            gap = notice
            return .pause
          }
          return .goOn
        }
      }
      // A page of the reader's may end inside a transaction.
    } while state == .more && !collector.isWhole && gap == nil
    if gap == nil, state == .atHead, let version = reader.versionAtHead {
      watch?.ownerRead(version)
    }
    for transaction in collector.transactions() {
      // What was read and not applied would be passed over for ever, so it is tried again by itself.
      let outcome = try await patiently(program) { try applier.apply(transaction) }
      if case .applied(let conflicts) = outcome {
        try await ApplyCommand.show(conflicts, program)
      }
    }
    if let gap { throw HistoryError.gap(gap.table) }
    return state
  }

  /// Waits while another process has one of the stores locked, and lets writers of the source go
  /// first, whose commits a read would make fail with a rollback journal.
  private func patiently<T>(
    _ program: isolated Program, _ body: () throws -> T
  ) async throws -> T {
    while true {
      while options.isFollowing, signal == nil,
        givingWay.found(isWriting: store.hasWriter, now: start.duration(to: .now)) == .wait
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
  }

  /// Waits at the head until there may be more.
  private func wait(_ reader: HistoryReader, _ program: isolated Program) async throws {
    if watch == nil, let version = reader.versionAtHead {
      let watch = try StoreWatch(store, opening: gate, on: program.executor)
      watch.ownerRead(version)
      self.watch = watch
      try? await LoopTimer.sleep(for: .zero, on: program.executor)
    }
    while signal == nil {
      switch watch?.takeFinding() ?? .changed {
      case .unchanged, .missing: _ = await gate.wait(for: nil)
      case .changed, .busy, .writing: return
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
