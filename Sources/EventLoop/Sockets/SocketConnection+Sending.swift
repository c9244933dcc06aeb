#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SocketConnection {
  /// What became of a message that was to be sent.
  public enum Offer: Hashable, Sendable {
    /// It will go out, or has.
    case taken
    /// There is no room for it now. Nothing of it was taken.
    case full
    /// The peer is gone, or nothing more was to be sent.
    case gone
  }

  /// Sends a message, or takes it in to be sent when the peer reads.
  ///
  /// It never waits, and the message is taken whole or not at all. One that is bigger than the
  /// limit is taken while nothing else waits, since it could never go out otherwise. The bytes are
  /// shared, not copied, unless they are few.
  ///
  /// - Parameter message: What to send.
  /// - Returns: What became of it. After `full`, wait until enough is ``drained(to:)`` and offer it
  ///   again.
  public func offer(_ message: ArraySlice<UInt8>) -> Offer {
    socket.executor.checkIsolated()
    guard case .open = sending else { return .gone }
    let isFirst = queue.count == 0
    guard queue.offered(message) else { return .full }
    // Behind others it waits until the kernel says that there is room.
    if isFirst { send() }
    guard case .open = sending else { return .gone }
    return .taken
  }

  /// Sends a message, or takes it in to be sent when the peer reads.
  ///
  /// - Parameter message: What to send.
  /// - Returns: What became of it.
  public func offer(_ message: [UInt8]) -> Offer { offer(message[...]) }

  /// Sends nothing more, and tells the peer so once all that was taken in is out.
  ///
  /// Reading goes on.
  public func finish() {
    socket.executor.checkIsolated()
    guard case .open = sending else { return }
    sending = .finishing
    if queue.count == 0 { send() }
  }

  /// Drops what waits to be sent, but for the rest of a line that was begun.
  ///
  /// For a peer who is to be told one more thing, and is behind with everything else. Whoever waits
  /// for room is thrown `abandoned`.
  public func dropLines() {
    socket.executor.checkIsolated()
    queue.keepLine()
    let waiters = drainWaiters
    drainWaiters = []
    for waiter in waiters { waiter.suspension.resume(.failure(.abandoned)) }
  }

  /// Waits until no more than some bytes wait to be sent.
  ///
  /// - Parameter limit: How many bytes; 0 to wait until the kernel has everything.
  /// - Throws: ``OutputError``, with `readerGone` if the peer went, and `abandoned` if the
  ///   connection was closed or the task cancelled.
  public nonisolated(nonsending) func drained(to limit: Int = 0) async throws(OutputError) {
    socket.executor.checkIsolated()
    if case .failed(let error) = sending { throw error }
    guard queue.count > limit else { return }
    try await Suspension<OutputError>.wait(on: socket.executor, cancelledAs: .abandoned) {
      suspension in
      suspension.onCancel = { [self] in drainWaiters.removeAll { $0.suspension === suspension } }
      drainWaiters.append((limit, suspension))
    }
  }

  /// Whether the peer neither reads nor sends any more.
  ///
  /// For one who stopped sending, which looks the same to ``read(atMost:)`` as one who is gone.
  public var isPeerGone: Bool {
    guard socket.isOpen else { return true }
    if case .failed = sending { return true }
    var look = pollfd(fd: socket.descriptor, events: 0, revents: 0)
    return poll(&look, 1, 0) > 0 && CInt(look.revents) & CInt(POLLHUP | POLLERR) != 0
  }

  /// Gives the kernel as much as it takes.
  func send() {
    while let chunk = queue.next {
      switch chunk.withUnsafeBytes({ outlet.offer($0) }) {
      case .took(let count):
        queue.sent(count)
        sentCount += UInt64(count)
      case .full:
        socket.wait(for: .writable)
        return wakeDrained()
      case .failed(let error):
        return endSending(error)
      }
    }
    socket.forget(.writable)
    if case .finishing = sending {
      shutdown(socket.descriptor, CInt(SHUT_WR))
      sending = .finished
    }
    wakeDrained()
  }

  private func wakeDrained() {
    guard !drainWaiters.isEmpty else { return }
    let waiters = drainWaiters
    drainWaiters = waiters.filter { $0.limit < queue.count }
    for waiter in waiters where waiter.limit >= queue.count {
      waiter.suspension.resume(.success(()))
    }
  }

  /// Drops what waits, and lets nothing more in.
  func endSending(_ error: OutputError) {
    if case .finished = sending {} else { sending = .failed(error) }
    queue.removeAll()
    socket.forget(.writable)
    let waiters = drainWaiters
    drainWaiters = []
    for waiter in waiters { waiter.suspension.resume(.failure(error)) }
  }
}
