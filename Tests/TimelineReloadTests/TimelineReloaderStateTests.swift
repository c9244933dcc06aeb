import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import Testing

@testable import TimelineReload

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What outlives a reloader.
@Suite("State of a timeline reloader", .timeLimit(.minutes(1)))
struct TimelineReloaderStateTests {
  @Test("the state is kept at the start, before a run, at a confirmation, and now and then")
  func keeping() async throws {
    let scene = try ReloadScene()
    let start = try await scene.store.state().head
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    #expect(try scene.keptState() == ReloadState(at: start))
    let other = try await scene.write("INSERT INTO notes DEFAULT VALUES")
    await scene.advance(.milliseconds(9999))
    #expect(try scene.keptState()?.token == start)
    await scene.advance(.milliseconds(1))
    #expect(try scene.keptState()?.token == other)
    let last = try await scene.write()
    await scene.advance(.seconds(1))
    let reload = try #require(await scene.nextReload())
    #expect(try scene.keptState()?.tries == .init(count: 1, until: last))
    #expect(try scene.keptState()?.token == reload.range.since)
    await scene.confirm()
    #expect(try scene.keptState()?.token == last)
    #expect(try scene.keptState()?.tries == nil)
    try await reloader.stop()
  }

  @Test("a stop cancels the run, waits for it, keeps the state and lets the file go")
  func stop() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    let start = try await scene.store.state().head
    try await scene.write()
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    try await reloader.stop()
    try await reloader.stop()
    #expect(scene.log == ["list changed 1", "ended"])
    #expect(try scene.keptState()?.token == start)
    await #expect(throws: HistoryError.self) { try await reloader.reloadAllTimelines() }
    try await scene.write()
    let next = try await scene.reloader(states: .file(scene.statePath))
    await scene.advance(.seconds(1))
    let reload = try #require(await scene.nextReload())
    #expect(reload.reason == .retry && reload.range.since == start)
    #expect(reload.range.transactions == 2 && reload.attempt == 2)
    await scene.confirm()
    try await next.stop()
    let last = try await scene.reloader(states: .file(scene.statePath))
    await scene.advance(.seconds(10))
    #expect(scene.log.count == 4, "Nothing is left to do.")
    try await last.stop()
  }

  @Test("after a crash everything that was not confirmed comes again")
  func crash() async throws {
    let scene = try ReloadScene()
    let directory = try TemporaryDirectory()
    let reloader = try await scene.reloader(states: .files(in: directory.path))
    try await scene.write()
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    try await scene.write()
    // What a process leaves that is killed now.
    let name = "reload-list.state"
    let left = try #require(try DurableFile(path: directory.file(name)).read(limit: 4096))
    let copy = try TemporaryDirectory()
    try DurableFile(path: copy.file(name)).replace(with: left)
    let next = try await scene.reloader(states: .files(in: copy.path))
    await scene.advance(.seconds(1))
    let reload = try #require(await scene.nextReload())
    #expect(reload.range.transactions == 2 && reload.reason == .retry)
    try await reloader.stop()
    try await next.stop()
  }

  @Test("a run that was asked for and did not begin outlives the process")
  func requestOutlives() async throws {
    let scene = try ReloadScene()
    let kind = TimelineKind("list", policy: ReloadPolicy(minimumInterval: .seconds(60)))
    let reloader = try await scene.reloader([kind], states: .file(scene.statePath))
    try await reloader.reloadTimelines(ofKind: "list")
    _ = await scene.nextReload()
    await scene.confirm()
    try await reloader.reloadTimelines(ofKind: "list")
    #expect(try scene.keptState()?.debt == .request)
    try await reloader.stop()
    let next = try await scene.reloader([kind], states: .file(scene.statePath))
    await scene.advance(.seconds(59))
    #expect(scene.log.count == 2, "The interval holds across processes.")
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .requested)
    try await next.stop()
  }

  @Test("a position given at the start counts where no state was kept, and only there")
  func after() async throws {
    let scene = try ReloadScene()
    try await scene.write()
    let reloader = try await scene.reloader(after: .oldest, states: .file(scene.statePath))
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.range.transactions == 1)
    await scene.confirm()
    try await reloader.stop()
    let next = try await scene.reloader(after: .oldest, states: .file(scene.statePath))
    await scene.advance(.seconds(1))
    #expect(scene.log.count == 2)
    try await next.stop()
  }

  @Test("a state in use, damaged or of another store is refused and left alone")
  func refused() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    let taken = await #expect(throws: HistoryError.self) {
      _ = try await scene.reloader(states: .file(scene.statePath))
    }
    #expect(taken?.code == .temporary)
    try await reloader.stop()
    let elsewhere = try ReloadScene()
    let foreign = await #expect(throws: HistoryError.self) {
      _ = try await elsewhere.reloader(states: .file(scene.statePath))
    }
    #expect(foreign?.code == .foreignToken)
    // A failed start holds nothing.
    try await scene.reloader(states: .file(scene.statePath)).stop()
    try DurableFile(path: scene.statePath).replace(with: Array("nonsense".utf8))
    let damaged = await #expect(throws: HistoryError.self) {
      _ = try await scene.reloader(states: .file(scene.statePath))
    }
    #expect(damaged?.code == .invalidToken)
    #expect(try DurableFile(path: scene.statePath).read(limit: 100) == Array("nonsense".utf8))
  }

  @Test("a lock that is let go a moment later is waited for")
  func takenForAMoment() async throws {
    let scene = try ReloadScene()
    var lock: FileLock? = try FileLock(path: scene.statePath + ".lock")
    #expect(try ReloadStateFile.unlessTaken(path: scene.statePath) === nil)
    let reloader = Task { try await scene.reloader(states: .file(scene.statePath)) }
    await scene.advance(.zero)
    withExtendedLifetime(lock) {}
    lock = nil
    try await reloader.value.stop()
  }

  @Test("when the state cannot be kept everything goes on, and it is kept once it can be")
  func unwritable() async throws {
    let scene = try ReloadScene()
    let path = scene.file.directory.file("states")
    #expect(mkdir(path, 0o700) == 0)
    let reloader = try await scene.reloader(states: .files(in: path))
    #expect(rename(path, path + "-away") == 0)
    try await scene.write()
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    #expect(scene.log == ["not kept", "list changed 1"])
    #expect(try await reloader.status(ofKind: "list").lastError != nil)
    #expect(rename(path + "-away", path) == 0)
    await scene.advance(.seconds(1))
    #expect(try await reloader.status(ofKind: "list").lastError == nil)
    await scene.confirm()
    #expect(rename(path, path + "-away") == 0)
    try await scene.write("DELETE FROM notes; INSERT INTO notes DEFAULT VALUES")
    let error = await #expect(throws: HistoryError.self) { try await reloader.stop() }
    #expect(error?.message.contains("cannot be written") == true)
  }

  @Test("a request that could not be kept says so")
  func unkeptRequest() async throws {
    let scene = try ReloadScene()
    let path = scene.file.directory.file("states")
    #expect(mkdir(path, 0o700) == 0)
    let reloader = try await scene.reloader(states: .files(in: path))
    try await reloader.reloadTimelines(ofKind: "list")
    _ = await scene.nextReload()
    await scene.confirm()
    #expect(rename(path, path + "-away") == 0)
    let error = await #expect(throws: HistoryError.self) {
      try await reloader.reloadTimelines(ofKind: "list")
    }
    #expect(error?.message.contains("cannot be written") == true)
    // It comes all the same.
    _ = await scene.nextReload()
    #expect(rename(path + "-away", path) == 0)
    await scene.confirm()
    try await reloader.stop()
  }

  @Test("commits that do not matter are kept now and then, and not each")
  func passedOver() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    let before = try DurableFile(path: scene.statePath).read(limit: 10_000)
    for _ in 1...3 {
      try await scene.write("INSERT INTO notes DEFAULT VALUES")
      await scene.advance(.seconds(1))
    }
    #expect(try DurableFile(path: scene.statePath).read(limit: 10_000) == before)
    await scene.advance(.seconds(10))
    #expect(try DurableFile(path: scene.statePath).read(limit: 10_000) != before)
    try await reloader.stop()
  }

  @Test("a kind's name is safe as part of a file's name")
  func names() {
    let states = ReloadStates.files(in: "dir")
    #expect(states.path(of: "Tasks_Widget-1") == "dir/reload-Tasks_Widget-1.state")
    #expect(states.path(of: "../a b.é") == "dir/reload-%2E%2E%2Fa%20b%2E%C3%A9.state")
    #expect(states.path(of: "\n") == "dir/reload-%0A.state")
    #expect(states.path(of: "") == "dir/reload.state")
    #expect(ReloadStates.path(beside: "a.db", kind: "") == "a.db-run.state")
    #expect(ReloadStates.path(beside: "a.db", kind: "x") == "a.db-run-x.state")
  }

  @Test("a reloader that is let go ends, and lets its file, its run and its store go")
  func letGo() async throws {
    let scene = try ReloadScene()
    var reloader: TimelineReloader? = try await scene.reloader(states: .file(scene.statePath))
    #expect(reloader?.kinds == ["list"])
    reloader = nil
    await scene.advance(.zero)
    reloader = try await scene.reloader(states: .file(scene.statePath))
    try await scene.write()
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    withExtendedLifetime(reloader) {}
    reloader = nil
    await scene.waitFor("ended")
    await scene.advance(.zero)
    #expect(try ReloadStateFile(path: scene.statePath).read()?.tries?.count == 1)
  }

  @Test("hundreds of reloaders that come and go leave no descriptor and no thread")
  func lifetimes() async throws {
    let file = try ReloadScene.trackedFile()
    let directory = try TemporaryDirectory()
    let before = try HeldResources()
    for _ in 1...300 {
      let store = try ObservedStore(path: file.path)
      let reloader = try await TimelineReloader(
        store: store, kinds: [TimelineKind("a"), TimelineKind("b")],
        states: .files(in: directory.path)
      ) { _ in }
      try await reloader.reloadAllTimelines()
      try await reloader.stop()
    }
    let after = try HeldResources.settled(threads: before.threads + 150)
    #expect(after.descriptors <= before.descriptors + 150)
    #expect(after.threads <= before.threads + 150)
  }
}
