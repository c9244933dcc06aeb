import EventLoop
import HistoryModel
import HistoryObservation
import TimelineReload

/// Reloads one declared timeline: runs its command, then tells its subscribers. It lives on the loop.
///
/// The command comes first: what it prepares is there when subscribers are told of it.
actor ReloadServer {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  nonisolated let declaration: ReloadDeclaration
  private let log: ServerLog
  private let command: ReloadCommand?
  private var reloader: TimelineReloader?
  private var starting: Task<Void, Never>?
  private var subscribers: [Subscriber] = []
  private var isStopped = false
  private(set) var counts = ReloadCounts()

  /// Who is told, and the last position that he refreshed for.
  private struct Subscriber {
    let subscription: ReloadSubscription
    let since: HistoryToken?
  }

  init(
    _ declaration: ReloadDeclaration, log: ServerLog, on executor: LoopExecutor
  ) throws(LoopError) {
    self.declaration = declaration
    self.log = log
    self.executor = executor
    command = try declaration.command.map { arguments throws(LoopError) in
      try ReloadCommand(
        arguments, database: declaration.database, author: declaration.ignoredAuthor, on: executor)
    }
  }

  /// Begins, unless it has or was ended meanwhile, and begins again while it cannot.
  func start(_ store: ObservedStore) {
    guard !isStopped, starting == nil else { return }
    starting = Task(executorPreference: executor) { await self.begin(store) }
  }

  private func begin(_ store: ObservedStore) async {
    // What only tells subscribers has nothing to keep: who comes back is told that it missed some.
    let states: ReloadStates =
      command == nil
      ? .memory : .file(ReloadStates.path(beside: store.path, kind: declaration.timeline))
    var told: String?
    while !Task.isCancelled {
      do {
        reloader = try await TimelineReloader(
          store: store, kinds: [declaration.kind], after: .now, states: states,
          handlerExecutor: executor, clock: SystemLoopClock(),
          telling: { [weak self] event in self?.assumeIsolated { $0.happened(event) } },
          reload: { [weak self] reload in try await self?.perform(reload) })
        for subscriber in subscribers { await greet(subscriber) }
        return
      } catch {
        let sentence = (error as HistoryError).message
        if sentence != told { say(.error, "\(sentence); trying again") }
        told = sentence
        await LoopTimer.pause(for: .seconds(1), on: executor)
      }
    }
  }

  private func perform(_ reload: Reload) async throws {
    try await command?.runToSuccess(reload)
    counts.reloads += 1
    guard declaration.tellsSubscribers else { return }
    for subscriber in subscribers {
      if await subscriber.subscription.isEnded { remove(subscriber.subscription) }
      await subscriber.subscription.tell(reload)
    }
  }

  private func happened(_ event: ReloadEvent) {
    if case .failed = event { counts.failures += 1 }
    if let sentence = event.sentence { say(.warning, sentence) }
  }

  private func say(_ level: ServerLog.Level, _ sentence: String) {
    log.say(level, "timeline \(declaration.timeline): \(sentence)")
  }

  /// Tells a subscriber from now on, and at once if it has missed something.
  ///
  /// - Parameters:
  ///   - subscriber: The subscriber.
  ///   - since: The last position that it refreshed for; nil where it does not know.
  func add(_ subscriber: ReloadSubscription, since: HistoryToken?) async {
    guard !isStopped else { return await subscriber.end(.end) }
    let subscriber = Subscriber(subscription: subscriber, since: since)
    subscribers.append(subscriber)
    // One who comes before the store can be followed is greeted then.
    if reloader != nil { await greet(subscriber) }
  }

  private func greet(_ subscriber: Subscriber) async {
    guard let status = try? await reloader?.status(ofKind: declaration.timeline) else { return }
    let confirmed = status.confirmedToken
    guard subscriber.since != confirmed else { return }
    // What is committed from here on comes by itself, so the reader has missed nothing after it.
    let range = HistorySummary(since: subscriber.since ?? confirmed, until: confirmed)
    await subscriber.subscription.tell(
      Reload(kind: declaration.timeline, reason: .reset, range: range, attempt: 1))
  }

  /// Tells the subscribers of one that was declared otherwise before, and has stopped.
  ///
  /// What it had not told yet nobody knows, so that all are told to begin anew.
  func adopt(_ former: ReloadServer) async {
    for subscriber in await former.letSubscribersGo() { await add(subscriber, since: nil) }
  }

  private func letSubscribersGo() -> [ReloadSubscription] {
    defer { subscribers = [] }
    return subscribers.map(\.subscription)
  }

  /// Ends those who subscribed to what is declared no more.
  func endSubscribers() async {
    for subscriber in letSubscribersGo() { await subscriber.end(.end) }
  }

  /// Tells a subscriber no more.
  func remove(_ subscriber: ReloadSubscription) {
    subscribers.removeAll { $0.subscription === subscriber }
  }

  /// Ends it: its command is told to end, and waited for.
  func stop() async {
    isStopped = true
    starting?.cancel()
    await starting?.value
    do throws(HistoryError) {
      try await reloader?.stop()
    } catch {
      say(.error, error.message)
    }
    reloader = nil
  }
}

/// What was done for a timeline since the server began.
struct ReloadCounts: Sendable {
  /// How many reloads went well.
  var reloads = 0
  /// How many failed.
  var failures = 0
}
