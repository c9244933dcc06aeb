import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Testing

@testable import TimelineReload

/// A real store with reloaders on it, a clock that a test moves, and a handler that a test answers.
final class ReloadScene: Sendable {
  struct Failure: Error {}

  private final class Run: Sendable {
    let kind: String
    init(kind: String) { self.kind = kind }
  }

  let file: TemporaryStore
  let store: ObservedStore
  let clock = ManualLoopClock()
  private let happened = Guarded<[String]>([])
  private let running = Guarded((now: 0, most: 0))
  private let events = AsyncStream.makeStream(of: String.self)
  private let reloads = AsyncStream.makeStream(of: Reload.self)
  /// The runs that wait for an answer, in the order in which they began.
  private let unanswered = Guarded<[(run: Run, answer: CheckedContinuation<Failure?, Never>)]>([])

  init(_ executor: LoopExecutor? = nil) throws {
    file = try Self.trackedFile()
    store = try ObservedStore(path: file.path, on: executor)
  }

  static func trackedFile() throws -> TemporaryStore {
    let file = try TemporaryStore(
      sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY, title TEXT);"
        + "CREATE TABLE notes(id INTEGER PRIMARY KEY)")
    try file.track()
    return file
  }

  /// What happened so far, in words.
  var log: [String] { happened.withLock { $0 } }
  /// The most runs that were on their way at one time.
  var mostAtOnce: Int { running.withLock { $0.most } }
  /// The path of a state file for a reloader of one kind.
  var statePath: String { file.directory.file("state") }

  /// Begins to reload.
  func reloader(
    _ kinds: [TimelineKind] = [TimelineKind("list", tables: ["tasks"])],
    after position: HistoryPosition = .now, states: ReloadStates = .memory
  ) async throws -> TimelineReloader {
    try await TimelineReloader(
      store: store, kinds: kinds, after: position, states: states, handlerExecutor: nil,
      clock: clock, telling: { [self] in tell(Self.text(of: $0)) },
      reload: { [self] reload in try await handle(reload) })
  }

  private func tell(_ text: String) {
    happened.withLock { $0.append(text) }
    events.continuation.yield(text)
  }

  private func handle(_ reload: Reload) async throws {
    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    defer { running.withLock { $0.now -= 1 } }
    let run = Run(kind: reload.kind)
    let failure = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        unanswered.withLock { $0.append((run, continuation)) }
        reloads.continuation.yield(reload)
        if Task.isCancelled { answer(nil) { $0 === run } }
      }
    } onCancel: {
      // A handler that was cancelled may as well return.
      answer(nil) { $0 === run }
    }
    if let failure { throw failure }
  }

  /// Answers the run that fits and began first, if one does.
  private func answer(_ failure: Failure?, _ fits: (Run) -> Bool) {
    let found = unanswered.withLock { all in
      all.firstIndex { fits($0.run) }.map { all.remove(at: $0).answer }
    }
    found?.resume(returning: failure)
  }

  private static func text(of event: ReloadEvent) -> String {
    switch event {
    case .began(let reload): "\(reload.kind) \(reload.reason) \(reload.range.transactions)"
    case .confirmed: "confirmed"
    case .failed(_, _, let nextIn): "failed, next in \(nextIn?.components.seconds ?? -1)"
    case .ended: "ended"
    case .positionLost(let error): "lost: \(error.expiryReason.map { "\($0)" } ?? "foreign")"
    case .deaf(let error): "deaf: \(error.code)"
    case .listening: "listening"
    case .stateNotKept: "not kept"
    }
  }

  /// The next run, which then waits for an answer.
  func nextReload() async -> Reload? {
    for await reload in reloads.stream { return reload }
    return nil
  }

  /// Lets the run of a kind succeed, and waits until that has been taken in.
  func confirm(_ kind: String = "list") async {
    answer(nil) { $0.kind == kind }
    await waitFor("confirmed")
    await turn()
  }

  /// Lets the run of a kind fail, and waits until that has been taken in.
  func fail(_ kind: String = "list") async {
    answer(Failure()) { $0.kind == kind }
    await waitFor("failed")
    await turn()
  }

  /// Waits for an event that begins with a word, after those that were waited for before.
  func waitFor(_ text: String) async {
    for await event in events.stream where event.hasPrefix(text) { return }
  }

  /// Waits until what the loop is doing is done: it tells of an event before it keeps the state.
  private func turn() async {
    await withCheckedContinuation { continuation in
      store.hub.executor.perform { continuation.resume() }
    }
  }

  /// Lets time pass.
  func advance(_ duration: Duration) async {
    await clock.advance(by: duration, on: store.hub.executor)
  }

  /// Writes a task, and waits until everybody was told.
  @discardableResult
  func write(
    _ sql: String = "INSERT INTO tasks DEFAULT VALUES", author: String = "app"
  ) async throws -> HistoryToken {
    try await store.write(author: author) { try $0.execute(sql) }
  }

  /// What the state file holds.
  func keptState() throws -> ReloadState? {
    guard let bytes = try DurableFile(path: statePath).read(limit: 4096) else { return nil }
    return try ReloadState(String(decoding: bytes, as: UTF8.self))
  }
}
