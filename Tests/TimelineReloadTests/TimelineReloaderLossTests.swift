import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

@testable import TimelineReload

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What happens when the position of a reloader is no good any more.
@Suite("Lost position of a timeline reloader", .timeLimit(.minutes(1)))
struct TimelineReloaderLossTests {
  @Test("a state whose position was trimmed away leads to a run with reason reset, once")
  func trimmed() async throws {
    let scene = try ReloadScene()
    try await scene.reloader(states: .file(scene.statePath)).stop()
    try await scene.write()
    let last = try await scene.write()
    try await scene.store.deleteHistory(through: last)
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    await scene.advance(.seconds(1))
    let reload = try #require(await scene.nextReload())
    #expect(reload.reason == .reset && reload.range.isEmpty && reload.range.since == last)
    await scene.confirm()
    try await reloader.stop()
    let next = try await scene.reloader(states: .file(scene.statePath))
    await scene.advance(.seconds(1))
    #expect(scene.log == ["lost: trimmed", "list reset 0", "confirmed"])
    try await next.stop()
  }

  @Test("a reset that was not confirmed is one again after a restart")
  func unconfirmedReset() async throws {
    let scene = try ReloadScene()
    try await scene.reloader(states: .file(scene.statePath)).stop()
    try await scene.store.deleteHistory(through: scene.write())
    try await scene.reloader(states: .file(scene.statePath)).stop()
    #expect(try scene.keptState()?.debt == .reset)
    let next = try await scene.reloader(states: .file(scene.statePath))
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .reset)
    try await next.stop()
  }

  @Test("a store restored under it is reloaded with reason reset, and followed from there")
  func restored() async throws {
    let scene = try ReloadScene()
    try await scene.write()
    let backup = scene.file.directory.file("backup")
    try scene.file.connection().execute("VACUUM INTO '\(backup)'")
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    try await scene.write()
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    try Backup.copy(
      from: Connection(path: backup, access: .readOnly), into: scene.file.connection())
    await scene.waitFor("lost: ")
    await scene.confirm()
    await scene.advance(.seconds(1))
    let reload = try #require(await scene.nextReload())
    #expect(reload.reason == .reset && reload.range.isEmpty)
    await scene.confirm()
    try await scene.write()
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.range.transactions == 1)
    #expect(
      scene.log == [
        "list changed 1", "lost: \(ExpiryReason.storeRestored)", "confirmed", "list reset 0",
        "confirmed", "list changed 1",
      ])
    try await reloader.stop()
  }

  @Test("another store moved over the file is reloaded with reason reset, and followed")
  func replaced() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    let other = try ReloadScene.trackedFile()
    try move(other, over: scene.file)
    await scene.waitFor("lost: ")
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .reset)
    await scene.confirm()
    try scene.file.connection().execute("INSERT INTO tasks DEFAULT VALUES")
    try await scene.store.waitUntil(scene.store.state().head)
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .changed)
    try await reloader.stop()
  }

  @Test("a file that is not tracked is waited out, without a run for each look at it")
  func untracked() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    let other = try TemporaryStore(sql: "CREATE TABLE tasks(id INTEGER PRIMARY KEY)")
    try move(other, over: scene.file)
    await scene.waitFor("deaf: ")
    for _ in 1...5 { await scene.advance(.seconds(1)) }
    let error = try await reloader.status(ofKind: "list").lastError as? HistoryError
    #expect(error?.code == .notTracked)
    try scene.file.track()
    // Each second it is tried again; trying takes turns of the loop.
    while !scene.log.contains("listening") { await scene.advance(.seconds(1)) }
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .reset)
    await scene.confirm()
    try scene.file.connection().execute("INSERT INTO tasks DEFAULT VALUES")
    try await scene.store.waitUntil(scene.store.state().head)
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .changed)
    #expect(scene.log.filter { $0.contains("reset") || $0.contains("deaf") }.count == 2)
  }

  @Test("a history that was dropped is waited for, and the new one is followed")
  func dropped() async throws {
    let scene = try ReloadScene()
    let reloader = try await scene.reloader(states: .file(scene.statePath))
    for _ in 1...3 { try await scene.write() }
    await scene.advance(.seconds(1))
    _ = await scene.nextReload()
    await scene.confirm()
    try Untracker(scene.file.opened()).dropHistory()
    await scene.waitFor("deaf: ")
    try scene.file.track()
    while !scene.log.contains("listening") { await scene.advance(.seconds(1)) }
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.reason == .reset)
    await scene.confirm()
    try scene.file.connection().execute("INSERT INTO tasks DEFAULT VALUES")
    try await scene.store.waitUntil(scene.store.state().head)
    await scene.advance(.seconds(1))
    #expect(await scene.nextReload()?.range.transactions == 1)
    try await reloader.stop()
  }

  private func move(_ source: TemporaryStore, over target: TemporaryStore) throws {
    for suffix in ["-wal", "-shm"] { unlink(target.path + suffix) }
    #expect(rename(source.path, target.path) == 0)
  }
}
