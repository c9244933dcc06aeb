import EventLoop
import HistoryModel
import HistoryObservation
import HistoryStore
import HistoryTestSupport
import SQLite
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The watch on a real loop, with writers in this process and in others.
///
/// Nothing here waits for a time: each wait ends by what it waits for, or the suite's limit fails it.
@Suite("Store watch", .timeLimit(.minutes(1)))
struct StoreWatchTests {
  private static let schema = "CREATE TABLE t(id INTEGER PRIMARY KEY)"

  /// Runs a body on a loop of its own.
  private func onLoop(_ body: @escaping @Sendable (LoopExecutor) async throws -> Void) async throws
  {
    let executor = try LoopExecutor.onOwnThread(name: "loop under test")
    defer { executor.shutdown() }
    try await withTaskExecutorPreference(executor) { try await body(executor) }
  }

  private func tracked(_ journal: TemporaryStore.Journal = .wal) throws -> TemporaryStore {
    let store = try TemporaryStore(sql: Self.schema, journal: journal)
    try store.track()
    return store
  }

  @Test(
    "every commit of another process opens the gate, and can then be read",
    arguments: TemporaryStore.Journal.allCases)
  func otherProcess(journal: TemporaryStore.Journal) async throws {
    let store = try tracked(journal)
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readWrite)
      let gate = try LoopGate(on: executor)
      let watch = try StoreWatch(history, opening: gate, on: executor)
      let recorder = try HistoryRecorder(history, after: history.state().head)
      let writer = try WriterProcess(path: store.path)
      for id in 1...20 {
        try writer.send("INSERT INTO t VALUES (\(id))")
        while recorder.lines.count < id {
          #expect(await gate.wait(for: nil))
          try recorder.read()
        }
        _ = try writer.answer()
      }
      #expect(recorder.lines.last == "insert t[20] id=20")
      watch.stop()
    }
  }

  @Test("a library writer's commit opens the gate")
  func libraryWriter() async throws {
    let store = try tracked()
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readOnly)
      let gate = try LoopGate(on: executor)
      let watch = try StoreWatch(history, opening: gate, on: executor)
      let recorder = try HistoryRecorder(history, after: history.state().head)
      let writer = try StoreWriter(path: store.path)
      for id in 1...5 as ClosedRange<Int64> {
        try await writer.write(author: "app") {
          try $0.run("INSERT INTO t VALUES (?)", .integer(id))
        }
        while recorder.transactions.count < id {
          #expect(await gate.wait(for: nil))
          try recorder.read()
        }
      }
      watch.stop()
    }
  }

  @Test("what it found is told once")
  func told() async throws {
    let store = try tracked()
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readOnly)
      let gate = try LoopGate(on: executor)
      let watch = try StoreWatch(history, opening: gate, on: executor)
      // Before anything was looked at, something may have changed.
      #expect(watch.takeFinding() == .changed)
      try store.connection().execute("INSERT INTO t VALUES (1)")
      while watch.finding != .changed { _ = await gate.wait(for: nil) }
      #expect(watch.takeFinding() == .changed)
      #expect(watch.takeFinding() == .unchanged)
      watch.stop()
    }
  }

  @Test("what the owner read is not found, what comes after it is")
  func ownerRead() async throws {
    let store = try tracked(.delete)
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readOnly)
      let gate = try LoopGate(on: executor)
      let recorder = try HistoryRecorder(history, after: history.state().head)
      try store.connection().execute("INSERT INTO t VALUES (1)")
      try recorder.read()
      let watch = try StoreWatch(history, opening: gate, on: executor)
      watch.ownerRead(try #require(recorder.reader.versionAtHead))
      #expect(watch.takeFinding() == .unchanged)
      while watch.counts?.eventLooks == 0 { _ = await gate.wait(for: .zero) }
      #expect(watch.counts?.changes == 0)
      try store.connection().execute("INSERT INTO t VALUES (2)")
      while watch.finding != .changed { _ = await gate.wait(for: nil) }
      try recorder.read()
      #expect(recorder.lines == ["insert t[1] id=1", "insert t[2] id=2"])
      watch.stop()
    }
  }

  @Test(
    "reading wakes nobody, and once a commit was seen nobody looks again",
    arguments: [.delete, .truncate, .persist] as [TemporaryStore.Journal])
  func quiet(journal: TemporaryStore.Journal) async throws {
    let store = try tracked(journal)
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readOnly)
      let gate = try LoopGate(on: executor)
      // It persists, while this is open.
      let writer = try store.connection()
      try writer.execute("INSERT INTO t VALUES (1)")
      let watch = try StoreWatch(history, opening: gate, on: executor)
      while watch.counts?.changes == 0 { _ = await gate.wait(for: .zero) }
      func wakes() -> Int { watch.counts?.bySource.reduce(0) { $0 + $1.count } ?? 0 }
      let before = (wakes: wakes(), ladder: watch.counts?.ladderLooks)
      for _ in 1...5 { _ = try history.state() }
      var hasPassed = false
      let mark = try DirectoryWatch(
        directory: store.directory.path, names: ["mark"], on: executor
      ) { name, _ in
        hasPassed = hasPassed || name == "mark"
        gate.open()
      }
      #expect(mkdir(store.directory.file("mark"), 0o700) == 0)
      while !hasPassed { _ = await gate.wait(for: nil) }
      #expect(wakes() == before.wakes)
      #expect(watch.counts?.ladderLooks == before.ladder)
      mark.close()
      watch.stop()
    }
  }

  @Test("a file moved over the store is found, with nothing committed to either")
  func replaced() async throws {
    let (store, other) = (try tracked(.delete), try tracked(.delete))
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readOnly)
      let gate = try LoopGate(on: executor)
      let watch = try StoreWatch(history, opening: gate, on: executor)
      #expect(Self.move(other.path, over: store.path))
      while watch.finding != .replaced { _ = await gate.wait(for: nil) }
      watch.stop()
    }
  }

  @Test("once stopped it opens nothing")
  func stopped() async throws {
    let store = try tracked()
    try await onLoop { executor in
      let history = try TrackedStore(path: store.path, access: .readOnly)
      let gate = try LoopGate(on: executor)
      let watch = try StoreWatch(history, opening: gate, on: executor)
      watch.stop()
      _ = await gate.wait(for: .zero)
      try store.connection().execute("INSERT INTO t VALUES (1)")
      #expect(await !gate.wait(for: .milliseconds(30)))
      #expect(watch.counts == nil)
    }
  }
}

extension StoreWatchTests {
  fileprivate static func move(_ path: String, over other: String) -> Bool {
    rename(path, other) == 0
  }
}
