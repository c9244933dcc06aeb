import CLibUV

/// Calls its owner to look whenever there may be something new, and else once a second.
///
/// It joins the sources, the ladder of looks that follows a wake-up, and the safety look. Idle,
/// it costs one wake-up a second. Confined to the loop; the owner keeps it, and it keeps the
/// owner's `look`.
public final class WakeUps {
  /// How often what happened.
  public internal(set) var counts = WakeUpCounts()
  let executor: LoopExecutor
  let look: () -> Bool
  let isSettled: () -> Bool
  let ladderTimer: FineTimer
  let safetyTimer: LoopTimer
  var ladder = WakeLadderStateMachine()
  var pace = SafetyPace(isSilent: false)
  var gate = FloodGate()
  /// What the look that is due in this turn of the loop is for; empty if none is due.
  var dueFor: Set<LookReason> = []
  private(set) var isStarted = false
  private(set) var isListening = false
  private let sources: [any WakeUpSource]

  /// Makes a driver that has not started.
  ///
  /// - Parameters:
  ///   - sources: What wakes it.
  ///   - executor: The loop of all of them.
  ///   - look: Looks whether anything changed since it last looked, without staying long. A store
  ///     that is locked at the moment counts as unchanged.
  ///   - isSettled: Whether the owner knows, at the moment after a look, that no commit is on its
  ///     way, so that looking again is needless. Without such knowledge leave it out.
  /// - Throws: ``LoopError`` if the process has no descriptors left.
  public init(
    _ sources: [any WakeUpSource], on executor: LoopExecutor, look: @escaping () -> Bool,
    isSettled: @escaping () -> Bool = { false }
  ) throws(LoopError) {
    self.executor = executor
    self.sources = sources
    self.look = look
    self.isSettled = isSettled
    ladderTimer = try FineTimer(on: executor)
    safetyTimer = try LoopTimer(on: executor)
    counts.bySource = sources.map { WakeUpCounts.Source(name: $0.name, count: 0) }
  }

  /// Whether every source is silent, so that it looks 20 times a second.
  public var isPolling: Bool {
    isStarted && sources.allSatisfy(\.isSilent)
  }

  /// Starts the sources, and looks for the first time before the loop next sleeps.
  public func start() {
    guard !isStarted else { return }
    isStarted = true
    listen()
  }

  /// Stops the sources and the timers; `look` is called no more.
  public func stop() {
    guard isStarted else { return }
    isStarted = false
    stopListening()
    ladderTimer.stop()
    safetyTimer.stop()
    ladder = WakeLadderStateMachine()
    gate.ended()
  }

  private func listen() {
    isListening = true
    for (index, source) in sources.enumerated() {
      source.start { [weak self] in self?.wokeUp(by: index) }
    }
    pace = SafetyPace(isSilent: isPolling)
    // What was announced before the sources listened may still be on its way.
    lookSoon(ladder.eventArrived(now: now), for: .event)
  }

  private func stopListening() {
    isListening = false
    for source in sources { source.stop() }
  }

  /// Hears no wake-ups for a while, and then looks.
  func pauseListening(for pause: Duration) {
    stopListening()
    ladderTimer.start(after: pause) { [weak self] in self?.listen() }
  }

  private func wokeUp(by index: Int) {
    guard isListening else { return }
    counts.bySource[index].count += 1
    let speaksAfterCommit = sources[index].speaksAfterCommit
    lookSoon(speaksAfterCommit ? ladder.bellRang() : ladder.eventArrived(now: now), for: .event)
  }

  var now: Duration { .nanoseconds(Int64(uv_hrtime())) }
}
