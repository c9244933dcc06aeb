import CLibUV

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// One connection of a stream socket: bytes in, bytes out, and neither ever blocks the loop.
///
/// Reading is asked for, so that a peer who is not read from is slowed down by the kernel. What is
/// sent waits in a queue with a limit, so that a peer who does not read costs no more than that.
/// A peer who only stopped sending still reads. Confined to the loop.
public final class SocketConnection {
  /// Whether bytes still go out.
  enum Sending {
    case open
    /// Nothing is added any more; when all is out, the peer is told.
    case finishing
    /// The peer was told.
    case finished
    /// Nothing goes out any more, for this reason.
    case failed(OutputError)
  }

  /// How many bytes may wait to be sent, unless it is made with another limit.
  public static let usualQueueLimit = 256 << 10

  /// Who is at the other end; nil unless the socket is a local one.
  public let peer: PeerCredentials?
  /// How many bytes the kernel has taken; it grows while the peer reads.
  public internal(set) var sentCount: UInt64 = 0
  /// How many bytes wait to be sent.
  public var queuedCount: Int { queue.count }
  /// Whether it was not closed here; the peer may be gone all the same.
  public var isOpen: Bool { socket.isOpen }

  let socket: LoopSocket
  let outlet: Outlet
  var queue: OutputQueue
  var sending = Sending.open
  var drainWaiters: [(limit: Int, suspension: Suspension<OutputError>)] = []
  private var waiter: (readiness: LoopSocket.Readiness, suspension: Suspension<LoopError>)?

  /// Takes over the descriptor of a connection, also when it throws.
  init(
    _ descriptor: CInt, address: SocketAddress, queueLimit: Int, on executor: LoopExecutor
  ) throws(LoopError) {
    if case .internet = address {
      peer = nil
      StreamSocket.set(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY)
    } else {
      peer = PeerCredentials(of: descriptor)
    }
    outlet = Outlet(descriptor: descriptor, way: .socket)
    queue = OutputQueue(limit: queueLimit)
    socket = try LoopSocket(descriptor, on: executor)
    socket.onReady = { [weak self] in self?.becameReady($0) }
  }

  deinit { close() }

  /// Closes the connection; what waits to be sent is dropped.
  ///
  /// To let the peer have it, ``finish()`` and wait until it is ``drained(to:)``. Whoever waits
  /// here learns that it was given up.
  public func close() {
    guard socket.isOpen else { return }
    socket.close()
    waiter?.suspension.resume(.failure(LoopError("read", number: ECANCELED)))
    endSending(.abandoned)
  }

  /// Lets whoever waits for bytes wait no longer; he is thrown `ECANCELED`.
  public func stopReading() {
    waiter?.suspension.resume(.failure(LoopError("read", number: ECANCELED)))
  }

  /// Waits for bytes.
  ///
  /// One read at a time, and one for each turn of the loop, so that a peer who never stops sending
  /// leaves the others their turns.
  ///
  /// - Parameter limit: How many bytes at most.
  /// - Returns: At least one byte, or none at the end: the peer sends no more.
  /// - Throws: ``LoopError``, with `ECONNRESET` if the peer went without reading everything, and
  ///   `ECANCELED` if the task was cancelled or the connection closed.
  public nonisolated(nonsending) func read(
    atMost limit: Int = 65536
  ) async throws(LoopError) -> [UInt8] {
    while true {
      try await ready(for: .readable)
      switch Inlet.take(from: socket.descriptor, atMost: limit) {
      case .took(let bytes): return bytes
      case .empty: continue
      case .failed(let number): throw LoopError("read", number: number)
      }
    }
  }

  /// Waits until the kernel says that the socket is ready.
  nonisolated(nonsending) func ready(
    for readiness: LoopSocket.Readiness
  ) async throws(LoopError) {
    socket.executor.checkIsolated()
    precondition(waiter == nil, "A read is still waiting.")
    let cancelled = LoopError("read", number: ECANCELED)
    guard socket.isOpen else { throw cancelled }
    defer { waiter = nil }
    try await Suspension<LoopError>.wait(on: socket.executor, cancelledAs: cancelled) {
      waiter = (readiness, $0)
      socket.wait(for: readiness)
    }
    // It may have been closed before this task had its turn.
    guard socket.isOpen else { throw cancelled }
  }

  private func becameReady(_ readiness: LoopSocket.Readiness) {
    if let waiter, !readiness.isDisjoint(with: waiter.readiness) {
      waiter.suspension.resume(.success(()))
    } else if readiness.contains(.readable) {
      // Only now, when bytes come that nobody asked for: a busy reader would change it each time.
      socket.forget(.readable)
    }
    if readiness.contains(.writable) { send() }
  }
}
