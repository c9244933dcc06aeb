import EventLoop
import Testing

/// Whose callbacks those of libuv's handles are.
@Suite("Loop handle", .timeLimit(.minutes(1)))
struct LoopHandleTests {
  /// Lets a timer go on another thread.
  private final class Holder: @unchecked Sendable {
    // Sendable so that another thread may let go of what it holds; nobody else touches it then.
    private var timer: LoopTimer?

    init(_ timer: LoopTimer) { self.timer = timer }

    func start() { timer?.start(after: .zero, repeating: .milliseconds(1)) {} }

    func letGo() { timer = nil }
  }

  /// Between the end of its owner there and the close of the handle here libuv still calls back.
  ///
  /// Address Sanitizer shows whether that finds memory that is not there any more.
  @Test("timers whose last reference goes on another thread while they fire call nobody back")
  func goneElsewhere() async throws {
    try await onLoop { executor in
      for _ in 0..<300 {
        let holder = Holder(try LoopTimer(on: executor))
        holder.start()
        let other = Task.detached { holder.letGo() }
        try await LoopTimer.sleep(for: .zero, on: executor)
        await other.value
      }
    }
  }
}
