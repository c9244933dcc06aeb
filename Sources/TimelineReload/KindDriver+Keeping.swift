import EventLoop
import HistoryModel

extension KindDriver {
  /// How long what does no harm when it is lost may stay unkept.
  ///
  /// Keeping it waits for the disk, and everybody who lives on the loop with it. What is lost is read
  /// once more.
  private static let soon = Duration.seconds(10)
  /// How long after a failure to keep the state it is tried again.
  private static let pause = Duration.seconds(1)

  /// Keeps the state as soon as the machine says that it must be.
  func keepInTime() {
    switch machine.keeping {
    case .nothing: break
    case .soon:
      if keepAlarm == nil { keepAlarm = alarm(after: Self.soon) { $0.keep() } }
    // While it cannot be kept the alarm tries again: not every change has to.
    case .now: if keepError == nil || keepAlarm == nil { keep() }
    }
  }

  /// Keeps the state.
  ///
  /// Where that fails everything goes on: what was kept before leads to the same or more runs, never
  /// to fewer.
  func keep() {
    keepAlarm = nil
    do throws(HistoryError) {
      try file?.replace(with: machine.state(now: now, wallClock: surroundings.clock.wallClock))
      machine.stateKept()
      keepError = nil
    } catch {
      if keepError == nil { surroundings.tell(.stateNotKept(error)) }
      keepError = error
      if !isStopped { keepAlarm = alarm(after: Self.pause) { $0.keep() } }
    }
  }

  /// Keeps the state for the last time, and lets others use the file.
  func finish() {
    if machine.keeping != .nothing { keep() }
    keepAlarm = nil
    file = nil
  }
}
