package import EventLoop
public import HistoryModel
public import HistoryObservation

/// Reloads what is shown or derived from a store, once the changes that matter to it have settled.
///
/// ```swift
/// let reloader = try await TimelineReloader(
///   store: store, kinds: [TimelineKind("TasksWidget", tables: ["tasks"])],
///   states: .files(in: directory)
/// ) { reload in
///   try await render(reload.kind)
/// }
/// ```
///
/// A handler that returns confirms the reload; one that throws gets it again after a pause, grown
/// by what was committed meanwhile. For one kind there is one run at a time; kinds do not wait for
/// each other. Where the states are kept, nothing that was committed is ever left without a
/// confirmed run, however the process ends; a run that was on its way then comes again.
///
/// It may be used from any actor. When it is let go it ends as by ``stop()``, which nobody waits
/// for then.
///
/// It plays the part of WidgetKit's `WidgetCenter`.
public final class TimelineReloader: Sendable {
  private let drivers: [KindDriver]
  private let executor: LoopExecutor

  /// Begins to reload.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - kinds: What to reload, each with a name of its own.
  ///   - position: Where a kind begins of which no state was kept.
  ///   - states: Where it is kept up to where the kinds were reloaded.
  ///   - reload: Makes a kind anew, not on the store's loop, so it may take its time. Its task is
  ///     cancelled when it has to make way for a later reload, or everything ends; then it confirms
  ///     nothing, whether it returns or throws.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `temporary` when a state file is in use by
  ///   another process or cannot be written, `invalidToken` when one is damaged, `foreignToken`
  ///   when one is of another store, `usage` when kinds have the same name or one file is to hold
  ///   several; and when the store cannot be read.
  /// - Complexity: O(log *h* + *n*) for each kind with *n* rows of history after its position out
  ///   of *h* kept.
  public convenience init(
    store: ObservedStore, kinds: [TimelineKind], after position: HistoryPosition = .now,
    states: ReloadStates = .memory, reload: @escaping @Sendable (Reload) async throws -> Void
  ) async throws(HistoryError) {
    try await self.init(
      store: store, kinds: kinds, after: position, states: states, handlerExecutor: nil,
      clock: SystemLoopClock(), telling: { _ in }, reload: reload)
  }

  /// Begins to reload.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - kinds: What to reload.
  ///   - position: Where a kind begins of which no state was kept.
  ///   - states: Where it is kept up to where the kinds were reloaded.
  ///   - handlerExecutor: The loop that the handler runs on; nil for Swift's own threads.
  ///   - clock: What tells the time.
  ///   - tell: Told what happens, on the store's loop.
  ///   - reload: Makes a kind anew.
  /// - Throws: As the other initializer does.
  package init(
    store: ObservedStore, kinds: [TimelineKind], after position: HistoryPosition,
    states: ReloadStates, handlerExecutor: LoopExecutor?, clock: some LoopClock,
    telling tell: @escaping @Sendable (ReloadEvent) -> Void,
    reload: @escaping @Sendable (Reload) async throws -> Void
  ) async throws(HistoryError) {
    var names: Set<String> = []
    for kind in kinds where !names.insert(kind.name).inserted { throw .sameKind(kind.name) }
    guard kinds.count <= 1 || states.holdsSeveral else { throw .oneFileForSeveralKinds }
    let surroundings = KindDriver.Surroundings(
      store: store, clock: clock, handlerExecutor: handlerExecutor, tell: tell, handler: reload)
    var drivers: [KindDriver] = []
    do throws(HistoryError) {
      for kind in kinds {
        let path = states.path(of: kind.name)
        drivers.append(
          try await KindDriver.begin(kind, stateAt: path, after: position, surroundings))
      }
    } catch {
      for driver in drivers { try? await driver.stop() }
      throw error
    }
    self.drivers = drivers
    executor = store.hub.executor
  }

  deinit {
    executor.perform { [drivers] in
      for driver in drivers { driver.assumeIsolated { $0.end() } }
    }
  }

  /// The names of the kinds, in the order in which they were given.
  public var kinds: [String] { drivers.map(\.kind.name) }

  /// Asks for a reload of a kind, whether or not anything has changed.
  ///
  /// It waits for no burst to settle, but for the minimum interval and the budget. Several requests
  /// before it begins are one. When this returns the request has been kept with the state.
  ///
  /// - Parameter kind: The kind's name.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` when there is no such kind, and why
  ///   the state could not be kept; the reload comes all the same, unless the process ends before.
  public func reloadTimelines(ofKind kind: String) async throws(HistoryError) {
    try await driver(of: kind).requestReload()
  }

  /// Asks for a reload of every kind.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when it was stopped.
  public func reloadAllTimelines() async throws(HistoryError) {
    for driver in drivers { try await driver.requestReload() }
  }

  /// How far the reloads of a kind are.
  ///
  /// - Parameter kind: The kind's name.
  /// - Returns: What is pending, and what went wrong.
  /// - Throws: ``/HistoryModel/HistoryError`` with code `usage` when there is no such kind.
  public func status(ofKind kind: String) async throws(HistoryError) -> TimelineStatus {
    try await driver(of: kind).status()
  }

  /// Begins no run any more, cancels those that are on their way, and waits for them.
  ///
  /// What is still to be done stays in the states, whose files others may use afterwards.
  ///
  /// - Throws: ``/HistoryModel/HistoryError`` when a state could not be kept; what was done since it
  ///   was last kept will be done again.
  public func stop() async throws(HistoryError) {
    // All are told before any is waited for.
    for driver in drivers { await driver.end() }
    var failure: HistoryError?
    for driver in drivers {
      do throws(HistoryError) {
        try await driver.stop()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func driver(of kind: String) throws(HistoryError) -> KindDriver {
    guard let driver = drivers.first(where: { $0.kind.name == kind }) else {
      throw .noSuchKind(kind, kinds)
    }
    return driver
  }
}
