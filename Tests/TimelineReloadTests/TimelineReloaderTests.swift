import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Testing

@testable import TimelineReload

@Suite("Timeline reloader", .timeLimit(.minutes(1)))
struct TimelineReloaderTests {
  @Test("a burst is one run, which is told all of it, and nothing runs after it was confirmed")
  func burst() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader()
    let start = try await scene.store.state().head
    for _ in 1...2 {
      try await scene.write()
      await scene.advance(.milliseconds(249))
    }
    let last = try await scene.write(author: "sync")
    #expect(scene.log.isEmpty)
    #expect(try await reloader.status(ofKind: "list").pending?.transactions == 3)
    await scene.advance(.milliseconds(250))
    let reload = try #require(await scene.nextReload())
    #expect(reload.kind == "list" && reload.reason == .changed && reload.attempt == 1)
    #expect(reload.range.since == start && reload.range.until == last)
    #expect(reload.range.transactions == 3 && reload.range.authors == ["app", "sync"])
    await scene.confirm()
    await scene.advance(.seconds(100))
    let status = try await reloader.status(ofKind: "list")
    #expect(status.pending == nil && status.unconfirmedRuns == 0 && status.lastError == nil)
    #expect(status.confirmedToken == last)
    #expect(scene.log == ["list changed 3", "confirmed"])
  }

  @Test("what is committed during a run is exactly one more, and never two run at once")
  func duringRun() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader()
    try await scene.write()
    await scene.advance(.seconds(1))
    let first = try #require(await scene.nextReload())
    for _ in 1...3 {
      try await scene.write()
      await scene.advance(.seconds(5))
    }
    #expect(try await reloader.status(ofKind: "list").isRunning)
    #expect(try await reloader.status(ofKind: "list").pending?.transactions == 4)
    await scene.confirm()
    let second = try #require(await scene.nextReload())
    #expect(second.range.since == first.range.until && second.range.transactions == 3)
    await scene.confirm()
    #expect(scene.log == ["list changed 1", "confirmed", "list changed 3", "confirmed"])
    #expect(scene.mostAtOnce == 1)
  }

  @Test("a failure is seen in the status, and tried again after growing pauses with all that came")
  func failures() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader()
    let start = try await scene.store.state().head
    try await scene.write()
    await scene.advance(.milliseconds(250))
    _ = await scene.nextReload()
    await scene.fail()
    var status = try await reloader.status(ofKind: "list")
    #expect(status.lastError is ReloadScene.Failure)
    #expect(status.unconfirmedRuns == 1 && status.attempts == 1 && !status.isRunning)
    #expect(status.pending?.transactions == 1 && status.confirmedToken == start)
    try await scene.write()
    await scene.advance(.milliseconds(999))
    #expect(scene.log.count == 2)
    await scene.advance(.milliseconds(1))
    let second = try #require(await scene.nextReload())
    #expect(second.reason == .retry && second.attempt == 2)
    #expect(second.range.since == start && second.range.transactions == 2)
    await scene.fail()
    await scene.advance(.seconds(2))
    _ = await scene.nextReload()
    status = try await reloader.status(ofKind: "list")
    #expect(status.unconfirmedRuns == 3 && status.attempts == 3 && status.isRunning)
    await scene.confirm()
    status = try await reloader.status(ofKind: "list")
    #expect(status.pending == nil && status.unconfirmedRuns == 0 && status.attempts == 0)
    #expect(status.lastError == nil)
    #expect(
      scene.log == [
        "list changed 1", "failed, next in 1", "list retry 2", "failed, next in 2",
        "list retry 2", "confirmed",
      ])
  }

  @Test("with restart a run is cancelled for the next one, which has its range as well")
  func restart() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader([
      TimelineKind("list", policy: ReloadPolicy(onBusy: .restart))
    ])
    try await scene.write()
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    try await scene.write()
    await scene.advance(.milliseconds(250))
    let second = try #require(await scene.nextReload())
    #expect(second.range.transactions == 2 && second.reason == .changed && second.attempt == 1)
    let status = try await reloader.status(ofKind: "list")
    #expect(status.unconfirmedRuns == 2 && status.attempts == 1)
    await scene.confirm()
    #expect(scene.log == ["list changed 1", "ended", "list changed 2", "confirmed"])
    #expect(scene.mostAtOnce == 1)
  }

  @Test("a run that is asked for comes at once; a kind that is not there is an error")
  func requests() async throws {
    let scene = try ReloadScene()
    let kinds = ["a", "b"].map { TimelineKind($0, tables: ["tasks"]) }
    let reloader = try await scene.reloader(kinds)
    let error = await #expect(throws: HistoryError.self) {
      try await reloader.reloadTimelines(ofKind: "c")
    }
    #expect(error?.code == .usage && error?.hint == "the kinds are: a, b")
    await #expect(throws: HistoryError.self) { try await reloader.status(ofKind: "") }
    try await reloader.reloadTimelines(ofKind: "b")
    #expect(await scene.nextReload()?.kind == "b")
    #expect(try await reloader.status(ofKind: "b").pending?.isEmpty == true)
    #expect(try await reloader.status(ofKind: "a").pending == nil)
    await scene.confirm("b")
    try await reloader.reloadAllTimelines()
    for _ in 1...2 {
      #expect(await scene.nextReload()?.reason == .requested)
    }
    #expect(scene.log == ["b requested 0", "confirmed", "a requested 0", "b requested 0"])
    try await reloader.stop()
  }

  @Test("kinds have changes, times and failures of their own")
  func kinds() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader([
      TimelineKind("tasks", tables: ["tasks"]),
      TimelineKind(
        "notes", tables: ["notes"], ignoringAuthors: ["robot"],
        policy: ReloadPolicy(debounce: .seconds(10), maximumWait: .seconds(60))),
    ])
    try await scene.write()
    try await scene.write("INSERT INTO notes DEFAULT VALUES")
    try await scene.write("INSERT INTO notes DEFAULT VALUES", author: "robot")
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.kind == "tasks")
    await scene.advance(.seconds(9))
    let notes = try #require(await scene.nextReload())
    #expect(notes.kind == "notes" && notes.range.transactions == 1)
    #expect(try await reloader.status(ofKind: "tasks").isRunning)
    #expect(scene.log == ["tasks changed 1", "notes changed 1"])
    #expect(scene.mostAtOnce == 2)
    try await reloader.stop()
  }

  @Test("several stores have reloaders of their own, also on one loop", arguments: [true, false])
  func severalStores(isOneLoop: Bool) async throws {
    let executor = isOneLoop ? try LoopExecutor.onOwnThread(name: "one loop") : nil
    do {
      let scenes = try (1...3).map { _ in try ReloadScene(executor) }
      var reloaders: [TimelineReloader] = []
      for scene in scenes { reloaders.append(try await scene.reloader()) }
      for scene in scenes.dropLast() { try await scene.write() }
      for scene in scenes { await scene.advance(.seconds(1)) }
      for scene in scenes.dropLast() {
        #expect(await scene.nextReload()?.range.transactions == 1)
        await scene.confirm()
      }
      #expect(scenes.map(\.log.count) == [2, 2, 0])
      for reloader in reloaders { try await reloader.stop() }
    }
    // A loop does not end before its last handle was closed.
    executor?.shutdown()
  }

  @Test("kinds with one name, and one file for several kinds, are refused")
  func wrongUse() async throws {
    let scene = try ReloadScene()
    for (names, states) in [
      (["a", "a"], ReloadStates.memory), (["a", "b"], .file(scene.statePath)),
    ] {
      let error = await #expect(throws: HistoryError.self) {
        _ = try await scene.reloader(names.map { TimelineKind($0) }, states: states)
      }
      #expect(error?.code == .usage)
    }
  }

  @Test(
    "commits of other processes are reloaded in the system's own time",
    arguments: TemporaryStore.Journal.allCases)
  func otherProcess(journal: TemporaryStore.Journal) async throws {
    let file = try TemporaryStore(
      sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY)", journal: journal)
    try file.track()
    let store = try ObservedStore(path: file.path)
    let (reloads, reload) = AsyncStream.makeStream(of: Reload.self)
    let kind = TimelineKind("list", policy: ReloadPolicy(debounce: .milliseconds(1)))
    let reloader = try await TimelineReloader(store: store, kinds: [kind]) { reload.yield($0) }
    let writer = try WriterProcess(path: file.path)
    var iterator = reloads.makeAsyncIterator()
    var seen = 0
    for id in 1...5 {
      try writer.run("PRAGMA busy_timeout = 5000; INSERT INTO tasks(id) VALUES (\(id))")
      while seen < id { seen += await iterator.next()?.range.changes ?? 0 }
    }
    #expect(seen == 5)
    try await reloader.stop()
  }
}
