import CLibUV

/// Runs actors and tasks on one thread, between the callbacks of a libuv loop.
///
/// An actor lives on the loop by returning ``asUnownedSerialExecutor()`` as its
/// `unownedExecutor`; a task by `executorPreference:`. Both may create timers, watches and ports,
/// whose callbacks arrive on the same thread, so that `assumeIsolated` holds inside them.
///
/// An idle loop makes no system call at all: there is no heartbeat and no second thread.
public final class LoopExecutor: SerialExecutor, TaskExecutor, Sendable {
  nonisolated(unsafe) let loop: UnsafeMutablePointer<uv_loop_t>
  // Constant; what it points to is touched only on the loop's thread.
  nonisolated(unsafe) private let bell: UnsafeMutablePointer<uv_async_t>
  // Constant; other threads only pass it to uv_async_send, which libuv allows.
  nonisolated(unsafe) private let drainer: UnsafeMutablePointer<uv_prepare_t>
  // Constant; touched only in init, deinit and on the loop's thread.
  nonisolated(unsafe) private var batch: [LoopInbox.Work] = []
  // Touched only by `drain`, on the loop's thread.
  nonisolated(unsafe) private var soonCalls: [() -> Void] = []
  // Touched only by `soon` and `drain`, on the loop's thread.
  private let inbox = Guarded(LoopInbox())
  let ownThread = Guarded<OwnThread?>(nil)

  /// Makes a loop that no thread runs yet.
  ///
  /// - Throws: ``LoopError`` if the process has no descriptors left.
  public init() throws(LoopError) {
    try DescriptorReserve.check()
    let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
    let bell = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
    let started = uv_loop_init(loop)
    let belled = started < 0 ? started : uv_async_init(loop, bell) { _ in }
    guard belled >= 0 else {
      if started >= 0 { uv_loop_close(loop) }
      bell.deallocate()
      loop.deallocate()
      throw LoopError("uv_loop_init", status: belled)
    }
    // Last: with all of them set, a throw would run `deinit` too, which would close what was never made.
    self.loop = loop
    self.bell = bell
    drainer = .allocate(capacity: 1)
    uv_prepare_init(loop, drainer)
    drainer.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    uv_prepare_start(drainer) { handle in
      guard let data = handle?.pointee.data else { return }
      Unmanaged<LoopExecutor>.fromOpaque(data).takeUnretainedValue().drain()
    }
  }

  deinit {
    // No thread runs the loop any more. Calls that close handles may still wait; jobs may not be
    // run, since they would come back to an executor that is going away.
    _ = inbox.withLock { $0.drained(into: &batch) }
    for case .call(let call) in batch { call() }
    uv_prepare_stop(drainer)
    Self.close(drainer)
    Self.close(bell)
    while uv_run(loop, UV_RUN_DEFAULT) != 0 {}
    let status = uv_loop_close(loop)
    assert(status == 0, "A handle outlived its loop.")
    drainer.deallocate()
    bell.deallocate()
    loop.deallocate()
  }

  private static func close<Handle>(_ handle: UnsafeMutablePointer<Handle>) {
    handle.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_close($0, nil) }
  }

  /// Runs the loop on the calling thread until ``stop()``.
  ///
  /// Jobs that are still waiting when it stops stay in the queue for the next run.
  public func run() {
    inbox.withLock {
      precondition(!$0.isRunning, "The loop is already running.")
      $0.isRunning = true
    }
    CurrentLoop.entering(self) { _ = uv_run(loop, UV_RUN_DEFAULT) }
    inbox.withLock { $0.isRunning = false }
  }

  /// Makes ``run()`` return once what is waiting now has been done; any thread may call it.
  public func stop() {
    let bits = UInt(bitPattern: loop)
    perform { uv_stop(UnsafeMutablePointer(bitPattern: bits)) }
  }

  /// Takes in a job; any thread may call it.
  ///
  /// - Parameter job: The job to run on the loop's thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    hand(.job(UnownedJob(job)))
  }

  /// Runs a call on the loop's thread, in order with the jobs; any thread may call it.
  ///
  /// - Parameter call: What to do.
  public func perform(_ call: @escaping @Sendable () -> Void) {
    hand(.call(call))
  }

  private func hand(_ work: LoopInbox.Work) {
    // Swift's runtime names an executor without keeping it, and as soon as the work is in, its
    // being done may be what lets go of the loop: the bell has to outlive the ringing.
    let kept = Unmanaged.passRetained(self)
    defer { kept.release() }
    let fromLoop = CurrentLoop.isRunning(self)
    let mustRing = inbox.withLock { $0.arrived(work, fromLoop: fromLoop) }
    if mustRing { uv_async_send(bell) }
  }

  /// Runs a call before the loop next sleeps; only the loop's own thread may ask.
  ///
  /// - Parameter call: What to do.
  package func soon(_ call: @escaping () -> Void) {
    checkIsolated()
    soonCalls.append(call)
  }

  /// Does all that waits; libuv calls it each time before it asks the kernel.
  private func drain() {
    // After this many pieces of work timers and descriptors get their turn.
    var budget = 4096
    while true {
      while !soonCalls.isEmpty {
        let calls = soonCalls
        soonCalls.removeAll(keepingCapacity: true)
        for call in calls { call() }
      }
      guard budget > 0 else {
        uv_async_send(bell)
        return
      }
      guard inbox.withLock({ $0.drained(into: &batch) }) else { return }
      budget -= batch.count
      for work in batch { run(work) }
      batch.removeAll(keepingCapacity: true)
    }
  }

  private func run(_ work: LoopInbox.Work) {
    switch work {
    case .job(let job):
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    case .call(let call):
      call()
    }
  }
}
