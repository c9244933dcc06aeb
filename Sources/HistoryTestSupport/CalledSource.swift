public import EventLoop

/// Wakes when it is told to: by a test.
public final class CalledSource: WakeUpSource {
  /// What the source is called in the status.
  public let name: String
  /// `false`: who holds it promises to call.
  public let isSilent = false
  /// Whether whoever calls does so only after COMMIT.
  public let speaksAfterCommit: Bool
  private var wakeUp: (() -> Void)?

  /// Makes a source that wakes nobody yet.
  ///
  /// - Parameters:
  ///   - name: What it is called in the status.
  ///   - speaksAfterCommit: Whether it will be called only after COMMIT.
  public init(name: String, speaksAfterCommit: Bool) {
    self.name = name
    self.speaksAfterCommit = speaksAfterCommit
  }

  /// Begins to pass on calls.
  ///
  /// - Parameter wakeUp: What to call.
  public func start(_ wakeUp: @escaping () -> Void) { self.wakeUp = wakeUp }

  /// Passes on no more calls.
  public func stop() { wakeUp = nil }

  /// Wakes whoever started the source.
  ///
  /// On the loop; from elsewhere go through ``LoopExecutor/perform(_:)``.
  public func call() { wakeUp?() }
}
