import HistoryTestSupport
import Testing

@testable import EventLoop

@Suite("Wake-ups", .timeLimit(.minutes(1)))
struct WakeUpsTests {
  @Test("a write by another process to the database's files is looked for")
  func otherProcessWakes() async throws {
    let scratch = try ScratchDirectory()
    append("x", to: scratch.file("db"))
    try await onLoop { executor in
      let looked = Happening(on: executor)
      let source = StoreDirectorySource(database: scratch.file("db"), on: executor)
      let wakeUps = try WakeUps([source], on: executor) {
        looked.happened()
        return false
      }
      wakeUps.start()
      for name in ["db", "db-wal", "db-journal"] {
        let before = wakeUps.counts.bySource[0].count
        try shell("echo x >> '\(scratch.file(name))'")
        while wakeUps.counts.bySource[0].count == before {
          try await looked.reached(looked.count + 1)
        }
      }
      #expect(!source.isSilent)
      #expect(wakeUps.counts.eventLooks > 0)
      wakeUps.stop()
    }
  }

  @Test("the doorbell wakes, with and without shared memory, also through a symbolic link")
  func doorbell() async throws {
    let scratch = try ScratchDirectory()
    append("x", to: scratch.file("db"))
    try shell("mkdir '\(scratch.file("other"))' && ln -s ../db '\(scratch.file("other/link"))'")
    try await onLoop { executor in
      let (wrote, rang) = (Happening(on: executor), Happening(on: executor))
      let directory = StoreDirectorySource(database: scratch.file("other/link"), on: executor)
      directory.start { wrote.happened() }
      let doorbell = DoorbellSource(database: scratch.file("other/link"), on: executor)
      doorbell.start { rang.happened() }
      let bell = Doorbell(database: scratch.file("other/link"))
      #expect(bell.ring())
      try await wrote.reached(1)
      #expect(rang.count == 0)
      append("x", to: scratch.file("db-shm"))
      try await rang.reached(1)
      let before = rang.count
      #expect(bell.ring())
      try await rang.reached(before + 1)
      #expect(wrote.count == 1)
      directory.stop()
      doorbell.stop()
    }
  }

  @Test("a checkpoint, and a journal that was touched but not written, wake nobody")
  func noCommit() async throws {
    let scratch = try ScratchDirectory()
    for name in ["db", "db-shm", "db-journal"] { append("x", to: scratch.file(name)) }
    try await onLoop { executor in
      let (woke, passed) = (Happening(on: executor), Happening(on: executor))
      let source = StoreDirectorySource(database: scratch.file("db"), on: executor)
      source.start { woke.happened() }
      // Events come in their order, over one queue.
      let mark = try DirectoryWatch(directory: scratch.path, names: ["mark"], on: executor) {
        name, _ in
        if name == "mark" { passed.happened() }
      }
      append("x", to: scratch.file("db"))
      try shell("chmod 640 '\(scratch.file("db-journal"))'; mkdir '\(scratch.file("mark"))'")
      try await passed.reached(1)
      #expect(woke.count == 0)
      append("x", to: scratch.file("db-journal"))
      try await woke.reached(1)
      try shell("rm '\(scratch.file("db-shm"))'; echo x >> '\(scratch.file("db"))'")
      try await woke.reached(2)
      try shell("mv '\(scratch.file("db"))' '\(scratch.file("away"))'")
      try await woke.reached(3)
      source.stop()
      mark.close()
    }
  }

  @Test("an owner that knows that nothing is on its way is not called again")
  func settled() async throws {
    try await onLoop { executor in
      let source = CalledSource(name: "test", speaksAfterCommit: false)
      let asked = Happening(on: executor)
      let wakeUps = try WakeUps([source], on: executor) {
        false
      } isSettled: {
        asked.happened()
        return asked.count == 3
      }
      wakeUps.start()
      try await asked.reached(3)
      let turns = Happening(on: executor)
      let timer = try LoopTimer(on: executor)
      timer.start(after: .zero, repeating: .milliseconds(1)) { turns.happened() }
      try await turns.reached(3)
      #expect(wakeUps.counts.ladderLooks == 2)
      wakeUps.stop()
    }
  }

  @Test("a change that becomes visible after its event is found without another event")
  func lateVisibility() async throws {
    try await onLoop { executor in
      let source = CalledSource(name: "test", speaksAfterCommit: false)
      let found = Happening(on: executor)
      var (looks, isVisible) = (0, false)
      let wakeUps = try WakeUps([source], on: executor) {
        looks += 1
        guard isVisible else {
          isVisible = looks == 12
          return false
        }
        isVisible = false
        found.happened()
        return true
      }
      wakeUps.start()
      source.call()
      try await found.reached(1)
      #expect(looks == 13)
      #expect(wakeUps.counts.ladderLooks == 12)
      #expect(wakeUps.counts.eventLooks == 1)
      #expect(wakeUps.counts.changes == 1)
      wakeUps.stop()
    }
  }

  @Test("wake-ups that come together share one look")
  func burst() async throws {
    try await onLoop { executor in
      let source = CalledSource(name: "test", speaksAfterCommit: false)
      let looked = Happening(on: executor)
      let wakeUps = try WakeUps([source], on: executor) {
        looked.happened()
        return true
      }
      wakeUps.start()
      for _ in 1...100 { source.call() }
      try await looked.reached(1)
      #expect(wakeUps.counts.eventLooks == 1)
      #expect(wakeUps.counts.bySource == [WakeUpCounts.Source(name: "test", count: 100)])
      wakeUps.stop()
    }
  }

  @Test("a flood of wake-ups in vain is not listened to, and what it hid is found")
  func flood() async throws {
    try await onLoop { executor in
      let source = CalledSource(name: "test", speaksAfterCommit: false)
      let (looked, found) = (Happening(on: executor), Happening(on: executor))
      var isVisible = false
      let wakeUps = try WakeUps([source], on: executor) {
        looked.happened()
        if isVisible { found.happened() }
        return isVisible
      }
      wakeUps.start()
      while wakeUps.counts.pauses == 0 {
        source.call()
        try await looked.reached(looked.count + 1)
      }
      let heard = wakeUps.counts.bySource[0].count
      source.call()
      #expect(wakeUps.counts.bySource[0].count == heard)
      isVisible = true
      try await found.reached(1)
      #expect(wakeUps.counts.safetyLooks == 0)
      wakeUps.stop()
    }
  }

  @Test("a store whose directory cannot be watched is polled")
  func polls() async throws {
    try await onLoop { executor in
      let found = Happening(on: executor)
      let source = StoreDirectorySource(database: "/nowhere/db", on: executor)
      let wakeUps = try WakeUps([source], on: executor) {
        found.happened()
        return false
      }
      wakeUps.start()
      #expect(wakeUps.isPolling)
      while wakeUps.counts.safetyLooks < 3 { try await found.reached(found.count + 1) }
      wakeUps.stop()
    }
  }

  @Test("once stopped from within its own look, it looks no more")
  func stopFromWithin() async throws {
    try await onLoop { executor in
      let source = CalledSource(name: "test", speaksAfterCommit: false)
      let looked = Happening(on: executor)
      var running: WakeUps?
      let wakeUps = try WakeUps([source], on: executor) {
        looked.happened()
        running?.stop()
        running = nil
        return true
      }
      running = wakeUps
      wakeUps.start()
      try await looked.reached(1)
      source.call()
      await Task.yield()
      #expect(looked.count == 1)
    }
  }
}
