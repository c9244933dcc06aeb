import HistoryModel
import HistoryStore
import HistoryTestSupport
import Observation
import SQLite
import Testing

@testable import HistoryObservation

/// What becomes of those who observe a store whose history is dropped.
@Suite("Dropped history", .timeLimit(.minutes(1)))
struct DroppedHistoryTests {
  @Test(
    "everybody is told, and can begin anew once the store is tracked again",
    arguments: TemporaryStore.Journal.allCases, [false, true])
  func dropped(journal: TemporaryStore.Journal, isTrackedAtOnce: Bool) async throws {
    let file = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)", journal: journal)
    try file.track()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id FROM t", key: ["id"])
    let reading = Task { for try await _ in observer.transactions {} }
    let store = try TrackedStore(path: file.path, access: .readWrite, busyTimeout: 20_000)
    try Untracker(store).dropHistory()
    if isTrackedAtOnce { _ = try Tracker(store).track(Tracker.Request()) }
    for await error in Observations({ observer.error }) where error != nil { break }
    for await error in Observations({ rows.error }) where error != nil { break }
    #expect(observer.error?.code == .historyTokenExpired)
    await #expect(throws: HistoryError.self) { try await reading.value }
    if !isTrackedAtOnce {
      await #expect(throws: HistoryError.self) { _ = try await HistoryObserver(store: observed) }
      await #expect(throws: HistoryError.self) { try await observer.resynchronize { _ in } }
      await #expect(throws: HistoryError.self) { try await rows.fetch() }
      _ = try Tracker(store).track(Tracker.Request())
    }
    try await observer.resynchronize { _ in }
    try await rows.fetch()
    let next = try await HistoryObserver(store: observed)
    try await observed.write(author: "app") { try $0.execute("INSERT INTO t DEFAULT VALUES") }
    #expect(observer.eventCounter == 1)
    #expect(next.eventCounter == 1)
    #expect(rows.results.count == 1)
    #expect(observer.error == nil)
    #expect(rows.error == nil)
  }

  /// One who is arriving keeps the loop looking, which must not keep him from arriving.
  @Test("whoever comes while the history is gone is told so at once, however many come")
  func arriving() async throws {
    let file = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try file.track()
    let observed = try ObservedStore(path: file.path)
    let observer = try await HistoryObserver(store: observed)
    let store = try TrackedStore(path: file.path, access: .readWrite, busyTimeout: 20_000)
    try Untracker(store).dropHistory()
    await withTaskGroup { group in
      for _ in 0..<50 {
        group.addTask {
          await #expect(throws: HistoryError.self) {
            _ = try await HistoryObserver(store: observed)
          }
        }
        group.addTask {
          await #expect(throws: HistoryError.self) {
            for try await _ in observer.transactions {}
          }
        }
      }
    }
    _ = try Tracker(store).track(Tracker.Request())
    try await observer.resynchronize { _ in }
    #expect(observer.error == nil)
  }

  @Test("whoever keeps rows is told of a drop, also where the store is tracked again by then")
  func trackedMeanwhile() async throws {
    let file = try TemporaryStore(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
    try file.track()
    let observed = try ObservedStore(path: file.path)
    let rows = try await ResultsObserver<StoredRow>(
      store: observed, query: "SELECT id FROM t", key: ["id"])
    // As when a page found no history, and the next look at the store finds a new one.
    try await observed.hub.startOver(.historyDropped)
    #expect(rows.error?.expiryReason == .historyDropped)
    try await rows.fetch()
    #expect(rows.error == nil)
  }
}
