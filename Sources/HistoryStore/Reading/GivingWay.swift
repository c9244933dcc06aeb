/// Decides whether to read now, or to give way to a writer that is at work.
///
/// With a rollback journal a commit needs the file without readers, and a writer that does not
/// wait for locks fails on the shortest read. So nothing is read while somebody writes. A writer
/// may take his time, though, and many may follow each other without a gap, and neither may stop
/// a reader for ever: after a while it reads all the same.
///
/// It knows no clock; times are durations since any fixed moment.
package struct GivingWay: Sendable, Hashable {
  /// What the caller must do after an input.
  package enum Action: Sendable, Equatable {
    /// Read.
    case read
    /// Ask again soon.
    case wait
  }

  private enum State: Hashable {
    /// Nobody was writing when this was last asked.
    case free
    /// Somebody has been writing since then.
    case waiting(since: Duration)
    /// The writer had his time; until then what is behind catches up.
    case insisting(until: Duration)
  }

  /// How long to give way: an ordinary commit takes less, and so short a delay is no stop.
  package static let patience = Duration.milliseconds(25)

  private let insistence: Duration
  private var state = State.free

  /// Begins without a writer.
  ///
  /// - Parameter insistence: How long to go on reading, once patience is at its end, before giving
  ///   way again; zero for a single read.
  package init(insistence: Duration = .zero) {
    self.insistence = insistence
  }

  /// Whether the last read was one that did not give way.
  package var isInsisting: Bool {
    if case .insisting = state { true } else { false }
  }

  /// At `now` somebody was found writing, or nobody.
  ///
  /// - Parameters:
  ///   - isWriting: Whether somebody was; nobody is known to be where it cannot be told.
  ///   - now: When.
  /// - Returns: Whether to read.
  package mutating func found(isWriting: Bool, now: Duration) -> Action {
    guard isWriting else {
      state = .free
      return .read
    }
    switch state {
    case .free:
      state = .waiting(since: now)
      return .wait
    case .waiting(let since):
      guard now - since >= Self.patience else { return .wait }
      state = .insisting(until: now + insistence)
      return .read
    case .insisting(let end):
      guard now >= end else { return .read }
      state = .waiting(since: now)
      return .wait
    }
  }

  /// The reader has read all there was, so that it can give way again.
  package mutating func caughtUp() { state = .free }
}
