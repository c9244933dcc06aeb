#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads from a descriptor without ever blocking the loop and without changing it for others.
///
/// Confined to the loop.
public final class InputPort {
  private let executor: LoopExecutor
  private let descriptor: CInt
  /// Who closes the descriptor, and not before this port is gone.
  private let owner: AnyObject?
  private var watch: DescriptorWatch?
  private var waiter: Suspension<LoopError>?

  /// Makes a port.
  ///
  /// - Parameters:
  ///   - descriptor: The descriptor to read from, such as 0. It stays the caller's, and nobody
  ///     else should read from it.
  ///   - executor: The loop that the readers run on.
  public convenience init(descriptor: CInt, on executor: LoopExecutor) {
    self.init(descriptor: descriptor, ownedBy: nil, on: executor)
  }

  init(descriptor: CInt, ownedBy owner: AnyObject?, on executor: LoopExecutor) {
    self.executor = executor
    self.descriptor = descriptor
    self.owner = owner
  }

  /// Reads what is there, and waits if nothing is.
  ///
  /// One read at a time.
  ///
  /// - Parameter limit: How many bytes at most.
  /// - Returns: At least one byte, or none at the end.
  /// - Throws: ``LoopError``, with `ECANCELED` if the task was cancelled.
  public nonisolated(nonsending) func read(atMost limit: Int = 65536) async throws(LoopError)
    -> [UInt8]
  {
    executor.checkIsolated()
    precondition(waiter == nil, "A read is still waiting.")
    while !isReady {
      defer { rest() }
      try await Suspension<LoopError>.wait(
        on: executor, cancelledAs: LoopError("read", number: ECANCELED)
      ) { suspension in
        waiter = suspension
        waitUntilReady()
      }
    }
    switch Inlet.take(from: descriptor, atMost: limit) {
    case .took(let bytes): return bytes
    case .empty: throw LoopError("read", number: EAGAIN)
    case .failed(let number): throw LoopError("read", number: number)
    }
  }

  /// Whether reading returns at once, with bytes, the end or an error; files are always ready.
  private var isReady: Bool {
    var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&question, 1, 0) != 0
  }

  private func waitUntilReady() {
    do throws(LoopError) {
      if watch == nil {
        watch = try DescriptorWatch(descriptor, on: executor) { [weak self] in
          self?.waiter?.resume(.success(()))
        }
      }
      try watch?.wait(for: .readable)
    } catch {
      waiter?.resume(.failure(error))
    }
  }

  private func rest() {
    waiter = nil
    // Leaving the poll set cannot fail; if it did, the next read would be woken too often.
    try? watch?.wait(for: .nothing)
  }
}
