/// The ladder's numbers; each look costs about 20 µs of processor time, mostly the kernel's for
/// the timer and the wake-up.
extension WakeLadderStateMachine {
  /// How long to wait after the first look.
  ///
  /// Publishing takes 5 to 20 µs under synchronous=NORMAL, where nothing is synced.
  static let firstStep = Duration.microseconds(20)

  /// Up to which length steps grow by a quarter only.
  ///
  /// A sync takes 0.2 to 2 ms on a solid-state disk and 10 to 30 ms on a turning one. Steps that
  /// grow by a quarter find the commit at most a quarter of the sync late, by about 15 looks
  /// within the first 2 ms. Afterwards they grow faster: nobody who waits 10 ms for his disk
  /// minds 5 ms.
  static let fineSteps = Duration.microseconds(500)

  /// How long to go on after the last event.
  ///
  /// What is not visible a quarter of a second after its last event was rolled back, was a
  /// checkpoint, or is so slow that the look each second will do.
  static let horizon = Duration.milliseconds(250)

  /// What became visible within this time of its first event was not synced.
  ///
  /// A commit makes several events. When one of them arrives between two looks and the second
  /// look shows a change, the event is nearly always that commit's own; if it is a later one's,
  /// that one will be as quick.
  static let unsynced = Duration.microseconds(150)

  /// After so many quick commits in a row the next is expected to be quick.
  static let quickHabit = 4

  /// How long to go on, at least, after the announced commit has probably been seen.
  ///
  /// A second one can hide behind it if that one was looked for in vain when the second's event
  /// came, or if the loop was away for all of its writing and syncing, a few milliseconds at
  /// most. The second takes about as long as the first: four times that time is waited, and the
  /// look each second covers the rest of the improbable. For quick commits that makes five looks.
  static let tail = Duration.milliseconds(5)

  /// The step after `step` while a synced commit may come: 27 looks to the horizon.
  static func fineStep(after step: Duration) -> Duration {
    min(step < fineSteps ? step * 5 / 4 : step * 8 / 5, .milliseconds(25))
  }

  /// The step after `step` while hardly anything is expected: 8 looks to the horizon.
  static func coarseStep(after step: Duration) -> Duration {
    min(step * 4, .milliseconds(100))
  }
}
