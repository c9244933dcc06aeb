package import EventLoop
package import HistoryModel
import HistoryObservation
import HistoryStore
import SQLite
import StoreBoundary

/// One database that is served: waited for while it is not there, then followed for good.
///
/// It lives on the loop.
package actor ServedStore {
  package nonisolated let executor: LoopExecutor
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// The database's path, as the server was told of it.
  package nonisolated let path: String
  /// The same from the root on.
  private nonisolated let absolutePath: String
  private let log: ServerLog
  private var store: ObservedStore?
  private let writer: PatientWriter
  private var waiting: HistoryError?
  private var running: Task<Void, Never>?
  private var isRenewing = false
  private(set) var counts = StoreCounts()
  /// The declared timelines of this database.
  private var reloads: [ReloadServer] = []
  private let keeper: RetentionKeeper

  /// How long to wait until a store that is not there is looked for again.
  private static let interval = Duration.seconds(1)

  init(
    path: String, keeping limits: RetentionLimits, on keeping: LoopExecutor, log: ServerLog,
    on executor: LoopExecutor
  ) {
    self.path = path
    absolutePath = ProcessEnvironment.absolutePath(path)
    self.log = log
    self.executor = executor
    writer = PatientWriter(path: path, on: executor)
    keeper = RetentionKeeper(path: path, limits: limits, on: keeping) { event in
      guard let sentence = event.sentence else { return }
      executor.perform { log.say(.warning, "\(path): \(sentence)") }
    }
  }

  /// Opens the store, or begins to wait for it.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when what is at the path will never be a store.
  func start() async throws(HistoryError) {
    do throws(HistoryError) {
      try await open()
    } catch {
      guard Self.mayCome(error) else { throw error }
      waiting = error
      sayWaiting(for: error)
      running = Task(executorPreference: executor) { await self.wait() }
    }
  }

  /// Whether what is wrong may be put right by somebody else: there is no file yet, or no history in
  /// it.
  private static func mayCome(_ error: HistoryError) -> Bool {
    error.passesByItself || error.code == .notTracked
      || (error.code == .storeUnavailable && !(error.cause is SQLiteError))
  }

  private func sayWaiting(for error: HistoryError) {
    let hint = error.hint.map { " (\($0))" } ?? ""
    log.say(.warning, "waiting for \(path): \(error.message)\(hint)")
  }

  private func wait() async {
    while store == nil, !Task.isCancelled {
      await LoopTimer.pause(for: Self.interval, on: executor)
      guard !Task.isCancelled else { return }
      do throws(HistoryError) {
        try await open()
        log.say(.notice, "\(path) is there")
      } catch {
        if error.message != waiting?.message { sayWaiting(for: error) }
        waiting = error
      }
    }
  }

  private func open() async throws(HistoryError) {
    let store = try ObservedStore(path: path, on: executor, busyTimeout: 0)
    self.store = store
    waiting = nil
    await store.hub.onCondition { [weak self] condition in
      self?.assumeIsolated { $0.became(condition) }
    }
    await store.hub.onDrift { [weak self] in self?.assumeIsolated { $0.foundDrift() } }
    do throws(HistoryError) {
      try await listen()
    } catch {
      // Half open it would be followed by nobody; whole it is tried again.
      self.store = nil
      throw error
    }
    // It may be served no more by now.
    guard self.store === store else { return }
    await keeper.start()
    for reload in reloads { await reload.start(store) }
  }

  private func listen() async throws(HistoryError) {
    guard let store else { return }
    try await store.hub.listen(self, for: ChangeInterest(ChangeFilter()), after: .now)
  }

  private func became(_ condition: StoreCondition) {
    switch condition {
    case .followed: log.say(.notice, "\(path) is followed")
    case .locked: log.say(.warning, "\(path) is locked by another process; waiting")
    case .missing: log.say(.warning, "\(path) is gone; waiting for it to come back")
    }
  }

  /// The store.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` with what is wrong while it is waited for.
  func observed() throws(HistoryError) -> ObservedStore {
    if let store { return store }
    throw waiting
      ?? HistoryError(
        .storeUnavailable, "\(path) is not open yet", hint: "try again in a moment")
  }

  /// What there is to say about the store.
  ///
  /// - Returns: A report.
  /// - Throws: ``/HistoryModel/HistoryError`` when it cannot be read, or stays locked for a second: whoever asks
  ///   wants to know that, and not to wait.
  func report() async throws(HistoryError) -> StoreReport {
    let hub = try observed().hub
    let executor = executor
    let reading = Task(executorPreference: executor) { try await hub.report() }
    let clock = Task(executorPreference: executor) {
      try await LoopTimer.sleep(for: Self.interval, on: executor)
      reading.cancel()
    }
    defer { clock.cancel() }
    switch await reading.result {
    case .success(var report):
      report.ready = PresentReadiness(of: path).json
      return report
    case .failure(let error):
      throw error as? HistoryError
        ?? HistoryError(
          .temporary, "\(path) could not be read within a second", hint: "try again", cause: error)
    }
  }

  /// Whether a name that a client uses means this one.
  nonisolated func isCalled(_ name: String) -> Bool { name == path || name == absolutePath }

  /// Makes what other timelines need, and changes nothing yet.
  ///
  /// - Parameter declarations: The timelines.
  /// - Returns: What ``declare(_:preparedAs:keeping:)`` is to be given, for those that are not there yet.
  /// - Throws: ``EventLoop/LoopError`` if libuv refuses.
  func prepare(_ declarations: [ReloadDeclaration]) throws(LoopError) -> [ReloadServer] {
    var prepared: [ReloadServer] = []
    for declaration in declarations
    where !reloads.contains(where: { $0.declaration.means(declaration) }) {
      prepared.append(try ReloadServer(declaration, log: log, on: executor))
    }
    return prepared
  }

  /// Has other timelines declared, and other limits; those that are the same go on undisturbed.
  ///
  /// - Parameters:
  ///   - declarations: The timelines.
  ///   - prepared: What was made for those of them that are not there yet.
  ///   - limits: How much history is kept.
  func declare(
    _ declarations: [ReloadDeclaration], preparedAs prepared: [ReloadServer],
    keeping limits: RetentionLimits
  ) async {
    await keeper.setLimits(limits)
    let stale = reloads.filter { reload in
      !declarations.contains { $0.means(reload.declaration) }
    }
    reloads.removeAll { reload in stale.contains { $0 === reload } }
    for reload in stale { await reload.stop() }
    for reload in prepared {
      reloads.append(reload)
      let declaration = reload.declaration
      let former = stale.first { $0.declaration.timeline == declaration.timeline }
      if declaration.tellsSubscribers, let former { await reload.adopt(former) }
      if let store { await reload.start(store) }
    }
    for reload in stale { await reload.endSubscribers() }
  }

  /// The declared timelines of these names that tell subscribers.
  ///
  /// - Parameter names: The names.
  /// - Returns: A timeline for each name.
  /// - Throws: ``/HistoryModel/HistoryError`` when one is not declared, or tells nobody.
  func timelines(_ names: [String]) throws(HistoryError) -> [ReloadServer] {
    var found: [ReloadServer] = []
    for name in names {
      guard
        let reload = reloads.first(where: {
          $0.declaration.timeline == name && $0.declaration.tellsSubscribers
        })
      else {
        throw HistoryError(
          .usage, "no timeline of that name is declared for subscribers",
          hint: "declare it in the configuration file with \"subscribers\": true")
      }
      found.append(reload)
    }
    return found
  }

  /// What a collector of metrics wants to know.
  func figures() async -> StoreFigures {
    var figures = StoreFigures(counts: counts)
    if let store {
      figures.report = try? await report()
      figures.wakeUps = await store.hub.wakeUpCounts?.bySource ?? []
    }
    figures.trimmedRows = await keeper.counts.totals.rows
    for reload in reloads {
      figures.reloads.append((reload.declaration.timeline, await reload.counts))
    }
    return figures
  }

  /// Ends everything.
  func stop() async {
    running?.cancel()
    await keeper.stop()
    for reload in reloads {
      await reload.stop()
      await reload.endSubscribers()
    }
    reloads = []
    await store?.hub.onCondition(nil)
    await store?.hub.onDrift(nil)
    await store?.hub.leave(self)
    await store?.hub.dismiss(
      HistoryError(
        .storeUnavailable, "\(path) is served no more", hint: "hello says which databases are"))
    store = nil
    writer.close()
  }

  /// Moves a consumer on.
  func acknowledge(_ consumer: String, _ token: HistoryToken) async throws(HistoryError) {
    try await writer.write { store throws(HistoryError) in
      try Consumers(store).acknowledge(consumer, token)
    }
  }

  private func foundDrift() {
    guard !isRenewing else { return }
    isRenewing = true
    Task(executorPreference: executor) { await self.renew() }
  }

  /// Renews capture that does not keep up with the schema.
  ///
  /// The drift is told once for each schema, so whoever writes for long must not make this give up.
  private func renew() async {
    defer { isRenewing = false }
    var told: HistoryError?
    while store != nil {
      do throws(HistoryError) {
        return try await renewOnce()
      } catch {
        if error.message != told?.message {
          log.say(.error, "capture of \(path) could not be renewed: \(error.message)")
        }
        guard error.passesByItself else { return }
        told = error
      }
      await LoopTimer.pause(for: Self.interval, on: executor)
    }
  }

  private func renewOnce() async throws(HistoryError) {
    let renewed = try await writer.write { store throws(HistoryError) in
      try Tracker(store).renew().renewed
    }
    if !renewed.isEmpty {
      log.say(.notice, "renewed the capture of \(renewed.joined(separator: ", ")) in \(path)")
    }
  }
}

extension ServedStore: HistoryListener {
  package nonisolated func changed(_ summary: HistorySummary) {
    assumeIsolated {
      $0.counts.add(summary)
      $0.writer.closeIfMoved()
      $0.keeper.committed()
    }
  }

  package nonisolated func passed(_ token: HistoryToken) {}

  package nonisolated func failed(_ error: HistoryError) {
    assumeIsolated {
      $0.counts.expiries += 1
      $0.writer.closeIfMoved()
      $0.log.say(.warning, "\($0.path): \(error.message)")
      $0.running = Task(executorPreference: $0.executor) { await self.listenAgain() }
    }
  }

  private func listenAgain() async {
    while !Task.isCancelled, store != nil {
      do throws(HistoryError) {
        return try await listen()
      } catch {
        await LoopTimer.pause(for: Self.interval, on: executor)
      }
    }
  }
}
