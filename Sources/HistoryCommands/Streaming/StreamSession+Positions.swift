import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite

extension StreamSession {
  /// Settles where the stream begins, and says so.
  func begin(_ program: isolated Program) async throws {
    let (asked, position, state) = try await patiently(program) {
      [self] () throws(HistoryError) in
      let kept = try keeper?.position()
      let asked = kept.map { HistoryPosition.after($0) } ?? options.since
      let resolved = try store.resolve(asked)
      return (asked, resolved.position, resolved.state)
    }
    let last = try options.until.map { token throws(HistoryError) in
      try store.resolve(.after(token)).position
    }
    if case .expired(let until, let reason)? = last, reason != .trimmed {
      // There will never be a place to end at, so there is none to begin.
      lines.hello(.new, token: state.head, oldest: state.oldest, head: state.head)
      return try await fail(until.description, reason, state, program)
    }
    switch position {
    case .usable(let token):
      var isContinued = false
      if case .after = asked { isContinued = true }
      switch options.snapshot {
      case .initial where !isContinued, .only:
        try await start(at: sendSnapshot(.snapshot, state, program), program)
        if options.snapshot == .only { end(.end, .success) }
      default:
        lines.hello(
          isContinued ? .continue : .new, token: token, oldest: state.oldest, head: state.head)
        try await start(at: token, program)
        // Where there is nothing to read yet it can wait until the stream reads no more.
        if token != state.head { try await flush(program) }
      }
    case .expired(let token, let reason):
      // A stream begins with hello, whatever follows; the hello after expired says reset.
      let isGoingOn = options.onExpired != .fail
      lines.hello(
        isGoingOn ? .reset : .continue, token: isGoingOn ? state.oldest : token,
        oldest: state.oldest, head: state.head)
      try await expire(token.description, reason, program)
    }
  }

  private func start(
    at token: HistoryToken, _ program: isolated Program
  ) async throws(HistoryError) {
    reader = try await patiently(program) { [self] () throws(HistoryError) in
      try HistoryReader(store, after: token, filter: options.filter, until: options.until)
    }
    covered = token
  }

  /// Goes on after an expiry, as `--on-expired` says.
  private func startAgain(_ state: StoreState, _ program: isolated Program) async throws {
    switch options.onExpired {
    case .snapshot:
      try await start(at: sendSnapshot(.reset, state, program), program)
    case .oldest, .fail:
      lines.hello(.reset, token: state.oldest, oldest: state.oldest, head: state.head)
      try await start(at: state.oldest, program)
      try await flush(program)
    }
  }

  /// Deals with a position that cannot be used any more, in the middle of the stream.
  func expire(
    _ requested: String, _ reason: ExpiryReason, _ program: isolated Program
  ) async throws {
    let state = try? store.state()
    guard options.onExpired != .fail, let state else {
      return try await fail(requested, reason, state, program)
    }
    lines.expired(
      requested: requested, oldest: state.oldest, head: state.head, reason: reason)
    group = []
    try await startAgain(state, program)
  }

  private func fail(
    _ requested: String, _ reason: ExpiryReason, _ state: StoreState?,
    _ program: isolated Program
  ) async throws {
    lines.expired(
      requested: requested, oldest: state?.oldest, head: state?.head, reason: reason)
    try await flush(program)
    await program.complain(.streamExpired(reason, oldest: state?.oldest))
    end(.expired, .expired)
  }

  /// Another file was moved over the path: goes on in it if it is the same store further on.
  func followReplacement(_ program: isolated Program) async throws {
    guard let token = reader?.token else { return }
    let position: ResolvedPosition
    do throws(HistoryError) {
      let next = try TrackedStore(path: store.path, access: .readOnly, busyTimeout: 0)
      watch?.stop()
      watch = nil
      store = next
      position = try next.resolve(.after(token)).position
    } catch {
      switch error.code {
      case .foreignToken, .notTracked:
        return try await expire(token.description, .storeReplaced, program)
      case .temporary:
        // It is still being written, or locked: look again.
        _ = await gate.wait(for: .milliseconds(50))
        return
      default:
        throw error
      }
    }
    switch position {
    case .usable: try await start(at: token, program)
    case .expired(_, let reason): try await expire(token.description, reason, program)
    }
  }
}

extension HistoryError {
  /// An expired position, with what the options of a stream can do about it.
  fileprivate static func streamExpired(
    _ reason: ExpiryReason, oldest: HistoryToken?
  ) -> HistoryError {
    let error = historyTokenExpired(oldest: oldest, reason: reason)
    return HistoryError(
      error.code, error.message,
      hint: "start again with --on-expired snapshot, or from what is left with --on-expired oldest")
  }
}
