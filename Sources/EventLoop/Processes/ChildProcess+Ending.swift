extension ChildProcess {
  /// Ends the process and all that it started, as far as they stayed in its group.
  ///
  /// The group gets SIGTERM, and SIGKILL if any of it still runs after a while. The system tells
  /// nobody when that is, so it is looked for: soon at first, as most processes end at once, and
  /// later 30 times a second.
  ///
  /// It goes on if the task is cancelled. Only for a process with a group of its own.
  ///
  /// - Parameters:
  ///   - grace: How long to wait before SIGKILL.
  ///   - pause: Waits between two looks.
  /// - Returns: How the process itself ended. Nothing of its group runs any more, but for what
  ///   even SIGKILL does not end within a second.
  public nonisolated(nonsending) func endGroup(
    grace: Duration = .seconds(5),
    pausing pause: nonisolated(nonsending) (Duration) async -> Void
  ) async -> Status {
    send(.terminate, toGroup: true)
    var waited = Duration.zero
    var step = Duration.milliseconds(1)
    var isKilled = false
    var group = ProcessGroup(identifier)
    while true {
      if let status, !group.isRunning() || waited >= grace + Self.killLimit { return status }
      if !isKilled, waited >= grace {
        send(.kill, toGroup: true)
        isKilled = true
      }
      await pause(step)
      waited += step
      step = min(step * 2, .milliseconds(32))
    }
  }

  /// How long after SIGKILL what seems to run is waited for.
  private static var killLimit: Duration { .seconds(1) }
}
