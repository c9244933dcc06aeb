/// Writes to a descriptor without ever blocking the loop and without changing it for others.
///
/// A write that the kernel takes at once is one system call and does not suspend. A reader that
/// does not read suspends the writer, not the loop. Confined to the loop.
public final class OutputPort {
  /// The state of the way out.
  private enum State {
    /// Bytes may follow what went out.
    case whole
    /// A write was given up in its middle: what followed it would make no sense.
    case torn
  }

  private let executor: LoopExecutor
  private let outlet: Outlet
  private var state = State.whole
  private var isAbandoned = false
  private var watch: DescriptorWatch?
  private var pending: PendingWrite?
  private var onReaderGone: (() -> Void)?

  /// Makes a port.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor to write to, such as 1. It stays the caller's.
  ///   - executor: The loop that the writers run on.
  public init(descriptor: CInt, on executor: LoopExecutor) {
    self.executor = executor
    outlet = Outlet(descriptor)
  }

  init(_ outlet: Outlet, on executor: LoopExecutor) {
    self.executor = executor
    self.outlet = outlet
  }

  deinit { outlet.closeOwn() }

  /// Writes bytes, and returns once the kernel has taken all of them.
  ///
  /// One write at a time: the next may begin when this one has returned or thrown.
  ///
  /// - Parameter bytes: What to write.
  /// - Throws: ``OutputError``, with `abandoned` if the task was cancelled or ``abandon()`` was
  ///   called while the reader was slow.
  public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws(OutputError) {
    executor.checkIsolated()
    precondition(pending == nil, "A write is still waiting for the reader.")
    guard state == .whole else { throw .abandoned }
    var write = PendingWrite(bytes)
    if try write.advance(into: outlet) { return }
    guard !isAbandoned else { throw tear(write) }
    pending = write
    try await Suspension<OutputError>.wait(on: executor, cancelledAs: .abandoned) { suspension in
      suspension.onCancel = { [self] in giveUp() }
      pending?.suspension = suspension
      watch(for: .writable)
    }
  }

  /// Ends a write that waits for the reader, and lets none wait from now on.
  ///
  /// Later writes succeed if the kernel takes them at once and nothing was cut short before.
  public func abandon() {
    executor.checkIsolated()
    isAbandoned = true
    giveUp()
  }

  private func giveUp() {
    guard let write = pending.take() else { return }
    write.suspension?.resume(.failure(tear(write)))
  }

  private func tear(_ write: PendingWrite) -> OutputError {
    if write.taken > 0 { state = .torn }
    return .abandoned
  }

  /// Calls back once when the reader goes away while nothing is being written.
  ///
  /// A write that meets a closed pipe throws `readerGone` instead. Files have no reader.
  ///
  /// - Parameter onGone: What to call, on the loop.
  public func watchForReader(_ onGone: @escaping () -> Void) {
    executor.checkIsolated()
    guard outlet.way != .plain else { return }
    onReaderGone = onGone
    if pending == nil { watch(for: .hangUp) }
  }

  private func watch(for interest: DescriptorWatch.Interest) {
    do throws(LoopError) {
      if watch == nil {
        watch = try DescriptorWatch(outlet.descriptor, on: executor) { [weak self] in
          self?.becameReady()
        }
      }
      try watch?.wait(for: interest)
    } catch {
      // Only a lack of descriptors or memory leads here.
      pending.take()?.suspension?.resume(.failure(.failed(error.number)))
    }
  }

  private func becameReady() {
    guard var write = pending else { return wasReadyForNobody() }
    do throws(OutputError) {
      let isDone = try write.advance(into: outlet)
      pending = isDone ? nil : write
      if isDone { write.suspension?.resume(.success(())) }
    } catch {
      pending = nil
      watch = nil
      write.suspension?.resume(.failure(error))
    }
  }

  /// Deals with readiness while nothing waits to be written.
  ///
  /// Either the last write was done a moment ago (the watch is
  /// lowered only now, so that a busy stream does not change it for each write) or the reader
  /// has gone.
  private func wasReadyForNobody() {
    if watch?.interest == .writable {
      watch(for: onReaderGone == nil ? .nothing : .hangUp)
    } else {
      watch = nil
      onReaderGone.take()?()
    }
  }
}
