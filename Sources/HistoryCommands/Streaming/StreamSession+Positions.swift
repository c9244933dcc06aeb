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
      let asked = kept.map { HistoryPosition.after($0) } ?? request.since
      let resolved: (position: ResolvedPosition, state: StoreState)
      do throws(HistoryError) {
        resolved = try store.resolve(asked)
      } catch {
        guard let keeper, kept != nil, error.code == .foreignToken else { throw error }
        throw keeper.ofAnotherStore(error)
      }
      return (asked, resolved.position, resolved.state)
    }
    let last = try request.until.map { token throws(HistoryError) in
      try store.resolve(.after(token)).position
    }
    var isContinued = false
    if case .after = asked { isContinued = true }
    let steps = StreamOpening.steps(
      request, isContinued: isContinued, at: position, until: last, state)
    try await take(steps, state, program)
  }

  /// Does what is first to be done, or after an expiry.
  private func take(
    _ steps: [StreamOpening.Step], _ state: StoreState?, _ program: isolated Program
  ) async throws {
    for step in steps {
      switch step {
      case .hello(let resume, let token):
        guard let state else { continue }
        lines.hello(resume, token: token, oldest: state.oldest, head: state.head)
      case .expired(let position, let reason):
        lines.expired(
          requested: position, oldest: state?.oldest, head: state?.head, reason: reason)
        group = []
        guard steps.contains(.end(.expired)) else { continue }
        try await flush(program)
        await program.complain(.streamExpired(reason, oldest: state?.oldest))
      case .snapshot(let resume):
        guard let state else { continue }
        guard let token = try await sendSnapshot(resume, state, program) else { return }
        try await start(at: token, program)
      case .start(let token):
        try await start(at: token, program)
        // Where there is nothing to read yet it can wait until the stream reads no more.
        if token != state?.head { try await flush(program) }
      case .end(let reason): end(reason, reason == .expired ? .expired : .success)
      }
    }
  }

  private func start(
    at token: HistoryToken, _ program: isolated Program
  ) async throws(HistoryError) {
    reader = try await patiently(program) { [self] () throws(HistoryError) in
      try HistoryReader(store, after: token, filter: request.filter, until: request.until)
    }
    covered = token
  }

  /// Deals with a position that cannot be used any more, in the middle of the stream.
  func expire(
    _ requested: String, _ reason: ExpiryReason, _ program: isolated Program
  ) async throws {
    let state = try? store.state()
    let steps = StreamOpening.steps(request, afterExpiryOf: requested, reason, state)
    try await take(steps, state, program)
  }

  /// Leaves the old file for another one.
  private func take(_ next: TrackedStore) {
    watch?.stop()
    watch = nil
    store = next
  }

  /// Another file was moved over the path: goes on in it if it is the same store further on.
  func followReplacement(_ program: isolated Program) async throws {
    guard let token = reader?.token else { return }
    var next: TrackedStore?
    var found: ResolvedPosition?
    while found == nil {
      guard ending == nil else { return }
      do throws(HistoryError) {
        let opened = try TrackedStore(path: store.path, access: .readOnly, busyTimeout: 0)
        next = opened
        found = try opened.resolve(.after(token)).position
      } catch {
        switch error.code {
        case .foreignToken, .notTracked:
          if let next { take(next) }
          return try await expire(token.description, .storeReplaced, program)
        case .temporary:
          // It is still being written, or locked. The old file is what is followed until then: with
          // the new one, the next look would find nothing new in it.
          _ = await gate.wait(for: .milliseconds(50))
        default:
          // Gone again: the next look tells when it is back.
          if error.unavailableReason == .missing { return }
          throw error
        }
      }
    }
    guard let next, let position = found else { return }
    take(next)
    switch position {
    case .usable: try await start(at: token, program)
    case .expired(_, let reason): try await expire(token.description, reason, program)
    }
  }
}

extension HistoryError {
  /// An expired position, with what the options of a stream can do about it.
  static func streamExpired(
    _ reason: ExpiryReason, oldest: HistoryToken?
  ) -> HistoryError {
    let error = historyTokenExpired(oldest: oldest, reason: reason)
    return HistoryError(
      error.code, error.message,
      hint: "start again with --on-expired snapshot, or from what is left with --on-expired oldest")
  }
}
