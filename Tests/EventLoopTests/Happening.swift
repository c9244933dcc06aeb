@testable import EventLoop

/// Runs a test's body on a loop of its own.
///
/// The loop has its own thread, so that the pool's few threads stay free, and a time limit can
/// cancel the body.
@discardableResult
func onLoop<Value: Sendable>(
  _ body: @escaping @Sendable (LoopExecutor) async throws -> Value
) async throws -> Value {
  let executor = try LoopExecutor.onOwnThread(name: "loop under test")
  defer { executor.shutdown() }
  return try await withTaskExecutorPreference(executor) { try await body(executor) }
}

/// Counts something that happens on the loop, and lets a test wait for it.
///
/// Confined to the loop.
final class Happening: @unchecked Sendable {
  // Sendable so that a test may mark it by `perform`; touched only on the loop's thread.
  private(set) var count = 0
  private let executor: LoopExecutor
  private var waiter: (count: Int, suspension: Suspension<CancellationError>)?

  init(on executor: LoopExecutor) { self.executor = executor }

  func happened() {
    count += 1
    guard let (wanted, suspension) = waiter, count >= wanted else { return }
    waiter = nil
    suspension.resume(.success(()))
  }

  /// Waits until it has happened `times` times in all.
  nonisolated(nonsending) func reached(_ times: Int) async throws {
    guard count < times else { return }
    try await Suspension.wait(on: executor, cancelledAs: CancellationError()) {
      waiter = (times, $0)
    }
  }
}
