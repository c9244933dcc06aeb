#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SocketConnection {
  /// Connects to whoever listens at an address.
  ///
  /// - Parameters:
  ///   - address: Where.
  ///   - queueLimit: How many bytes it may have to send.
  ///   - executor: The loop that the connection lives on.
  /// - Returns: The connection.
  /// - Throws: ``LoopError``, with `ENOENT` or `ECONNREFUSED` if nobody listens there, `EACCES` if
  ///   this user may not, and `ECANCELED` if the task was cancelled.
  public nonisolated(nonsending) static func connect(
    to address: SocketAddress, queueLimit: Int = SocketConnection.usualQueueLimit,
    on executor: LoopExecutor
  ) async throws(LoopError) -> SocketConnection {
    executor.checkIsolated()
    guard let storage = address.storage else { throw LoopError("connect", number: ENAMETOOLONG) }
    while true {
      let descriptor = try StreamSocket.make(storage.family)
      let failure = StreamSocket.connect(descriptor, storage)
      switch failure {
      case 0, EINPROGRESS:
        let connection = try SocketConnection(
          descriptor, address: address, queueLimit: queueLimit, on: executor)
        if failure != 0 { try await connection.connected() }
        return connection
      case EAGAIN:
        // Too many wait for the listener already, and nothing tells when there is room.
        closeDescriptor(descriptor)
        do throws(CancellationError) {
          try await LoopTimer.sleep(for: .milliseconds(10), on: executor)
        } catch { throw LoopError("connect", number: ECANCELED) }
      default:
        closeDescriptor(descriptor)
        throw LoopError("connect", number: failure)
      }
    }
  }

  /// Waits until the connection stands.
  private nonisolated(nonsending) func connected() async throws(LoopError) {
    try await ready(for: .writable)
    let failure = StreamSocket.option(SO_ERROR, of: socket.descriptor) ?? EBADF
    guard failure == 0 else { throw LoopError("connect", number: failure) }
  }
}
