import EventLoop

/// Has changes announced once more for those who were just reading.
///
/// `withObservationTracking`, and `Observations` with it, reads first and registers afterwards. That
/// is fine where one actor reads and changes. Here others change, and what they announce in between
/// reaches nobody: whoever was reading would wait for the change after it, perhaps for ever.
/// Registering cannot be seen from outside, but it follows reading at once. So a change soon after a
/// reading is announced again after a while, and after a longer one in case that the reader's thread
/// had to wait for a processor.
///
/// It costs those who wait a look at a value that is the same, and nothing where nobody reads.
final class LateReaders: Sendable {
  /// How long after a change it is announced again.
  private static let pauses: [Duration] = [.milliseconds(100), .seconds(1)]
  /// How long after a reading a change comes too late to be missed.
  private static let window = Duration.seconds(1)

  private struct State {
    var lastReading: ContinuousClock.Instant?
    var lastChange = ContinuousClock.now
    /// Whether somebody announces again already.
    var isBusy = false
  }

  private let state = Guarded(State())

  /// Somebody reads, and may be about to register.
  func reading() {
    let now = ContinuousClock.now
    state.withLock { $0.lastReading = now }
  }

  /// A change was announced: all of its properties, once.
  ///
  /// - Returns: Whether somebody may have missed it, so that ``announce(_:)`` has to begin.
  func changed() -> Bool {
    let now = ContinuousClock.now
    return state.withLock { state in
      state.lastChange = now
      guard !state.isBusy, let last = state.lastReading, last.duration(to: now) < Self.window
      else { return false }
      state.isBusy = true
      return true
    }
  }

  /// Begins to announce again, until that is late enough after the last change.
  ///
  /// - Parameter again: Announces everything again, from any thread.
  func announce(_ again: @escaping @Sendable () -> Void) {
    Task.detached { [self] in
      repeat {
        for pause in Self.pauses {
          try? await Task.sleep(for: pause)
          again()
        }
      } while mustGoOn()
    }
  }

  /// Whether what changed last was not announced late enough yet.
  private func mustGoOn() -> Bool {
    let longest = Self.pauses.reduce(.zero, +)
    return state.withLock { state in
      state.isBusy = state.lastChange.duration(to: .now) < longest
      return state.isBusy
    }
  }
}
