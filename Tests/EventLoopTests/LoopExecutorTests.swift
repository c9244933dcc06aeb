import EventLoop
import Testing

@Suite("Loop executor", .timeLimit(.minutes(1)))
struct LoopExecutorTests {
  /// An actor that lives on a loop and is called by a timer's C callback.
  actor Ticker {
    let executor: LoopExecutor
    private var timer: LoopTimer?
    private(set) var ticks = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(on executor: LoopExecutor) { self.executor = executor }

    func start(_ done: Happening) throws {
      let timer = try LoopTimer(on: executor)
      timer.start(after: .milliseconds(1), repeating: .milliseconds(1)) { [self] in
        assumeIsolated {
          $0.ticks += 1
          if $0.ticks == 3 { $0.timer?.stop() }
        }
        done.happened()
      }
      self.timer = timer
    }
  }

  @Test("a task runs on the calling thread until it has finished, and its value comes back")
  func runsUntilComplete() throws {
    let executor = try LoopExecutor()
    let answer = executor.runUntilComplete {
      executor.checkIsolated()
      await Task.yield()
      executor.checkIsolated()
      return 42
    }
    #expect(answer == 42)
    #expect(executor.isIsolatingCurrentContext() == false)
  }

  @Test("what the task throws comes back")
  func throwsThrough() throws {
    let executor = try LoopExecutor()
    #expect(throws: SystemFailure.self) {
      try executor.runUntilComplete { throw SystemFailure(number: 1) }
    }
  }

  @Test("an actor on the loop is isolated inside a C callback")
  func actorIsIsolatedInCallbacks() async throws {
    let ticks = try await onLoop { executor in
      let ticker = Ticker(on: executor)
      let ticked = Happening(on: executor)
      try await ticker.start(ticked)
      try await ticked.reached(3)
      return await ticker.ticks
    }
    #expect(ticks == 3)
  }

  @Test("jobs from many threads all run, in order per thread")
  func jobsFromManyThreads() async throws {
    let executor = try LoopExecutor.onOwnThread(name: "loop under test")
    let arrived = Arrivals()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for number in 0..<1000 { executor.perform { arrived.add(number, from: thread) } }
        }
      }
    }
    executor.shutdown()
    #expect(arrived.byThread == Array(repeating: Array(0..<1000), count: 8))
    executor.shutdown()
  }

  @Test("an executor that never ran goes away, with what waits for it")
  func neverRun() throws {
    weak var gone: LoopExecutor?
    do {
      let executor = try LoopExecutor()
      executor.perform {}
      executor.stop()
      gone = executor
    }
    #expect(gone == nil)
  }

  /// Lives on a loop of its own and lets go of it at its end.
  actor Hermit {
    private let executor: LoopExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init() throws { executor = try LoopExecutor.onOwnThread(name: "hermit") }

    func visit() {}

    isolated deinit { executor.letGo() }
  }

  @Test("a loop may go while whoever brought it its last work still rings its bell")
  func goesWhileItIsRung() async throws {
    // Seen by a sanitizer if at all: each round is a chance for libuv to touch what is gone.
    for _ in 0..<1000 {
      let hermit = try Hermit()
      for _ in 0..<4 { Task { await hermit.visit() } }
    }
  }

  @Test("sleeping ends on time, and early when the task is cancelled")
  func sleeping() async throws {
    let wasCancelled = try await onLoop { executor in
      try await LoopTimer.sleep(for: .milliseconds(1), on: executor)
      let sleeper = Task(executorPreference: executor) {
        try await LoopTimer.sleep(for: .seconds(3600), on: executor)
      }
      sleeper.cancel()
      return await sleeper.result
    }
    #expect(throws: CancellationError.self) { try wasCancelled.get() }
  }

  @Test("a fine timer fires after its time and not when stopped")
  func fineTimer() async throws {
    let waited = try await onLoop { executor in
      let fired = Happening(on: executor)
      let (timer, stopped) = (try FineTimer(on: executor), try FineTimer(on: executor))
      let start = ContinuousClock.now
      stopped.start(after: .microseconds(50)) { Issue.record("It was stopped.") }
      stopped.stop()
      timer.start(after: .microseconds(300)) {
        fired.happened()
        timer.start(after: .microseconds(300)) { fired.happened() }
      }
      try await fired.reached(2)
      return ContinuousClock.now - start
    }
    #expect(waited >= .microseconds(600))
  }

  @Test("a signal is called back instead of ending the process")
  func signals() async throws {
    let seen = try await onLoop { executor in
      let came = Happening(on: executor)
      var seen: [SignalWatch.Signal] = []
      let watch = try SignalWatch([.hangUp], on: executor) {
        seen.append($0)
        came.happened()
      }
      try shell("kill -HUP $PPID")
      try await came.reached(1)
      watch.close()
      return seen
    }
    #expect(seen == [.hangUp])
  }
}

/// What arrived on the loop; touched only there until the loop has ended.
private final class Arrivals: @unchecked Sendable {
  // Sendable since the loop's thread alone adds, and the test reads after that thread has ended.
  private(set) var byThread: [[Int]] = Array(repeating: [], count: 8)

  func add(_ number: Int, from thread: Int) { byThread[thread].append(number) }
}
